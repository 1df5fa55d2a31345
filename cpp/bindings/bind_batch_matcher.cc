// _core functions over many matchers at once, and the pool of threads that fills masks.
//
// Each call marks all matchers of its list as busy, checks every argument before anything changes,
// and gives up the interpreter lock for the whole batch. Only filling runs on several threads
// (matcher/batch.h); accepting and rolling back are quick and go one by one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/array_view.h"
#include "bindings/handles.h"
#include "bindings/token_id.h"
#include "support/thread_pool.h"

namespace xgrammar::bindings {

namespace {

// Reads elements as matchers: most have the type of the one before, which is then known.
class MatcherReader {
 public:
  MatcherHandle* Read(nb::handle item, size_t position) {
    if (item.type().is(known_type_) && nb::inst_ready(item)) {
      return nb::inst_ptr<MatcherHandle>(item);
    }
    MatcherHandle* handle = nullptr;
    if (!nb::try_cast<MatcherHandle*>(item, handle) || handle == nullptr) {
      throw nb::type_error(
          ("matchers[" + std::to_string(position) + "] is not a GrammarMatcher").c_str());
    }
    known_type_ = item.type();
    return handle;
  }

 private:
  nb::handle known_type_;
};

// The matchers of a list, all marked as busy until the end of the call. The list must hold them as
// long.
class MatcherList {
 public:
  explicit MatcherList(const nb::list& matchers) {
    matchers_.reserve(matchers.size());
    guards_.reserve(matchers.size());
    MatcherReader reader;
    for (nb::handle item : matchers) {
      MatcherHandle* handle = reader.Read(item, matchers_.size());
      try {
        guards_.emplace_back(handle);
      } catch (const Error&) {
        throw Error(ErrorKind::kUsage, "matchers[" + std::to_string(matchers_.size()) +
                                           "] is in use by another call or twice in the list");
      }
      matchers_.push_back(&handle->matcher);
    }
  }
  std::span<GrammarMatcher* const> matchers() const { return matchers_; }
  size_t size() const { return matchers_.size(); }
  GrammarMatcher& operator[](size_t i) const { return *matchers_[i]; }

 private:
  std::vector<GrammarMatcher*> matchers_;
  std::vector<MatcherGuard> guards_;
};

void RequireLength(const char* name, size_t length, size_t expected) {
  if (length == expected) return;
  throw Error(ErrorKind::kUsage, std::string(name) + " has " + std::to_string(length) +
                                     " elements for " + std::to_string(expected) + " matchers");
}

// Two matchers that fill one row at the same time would leave a mixture.
void RequireDistinct(std::vector<int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  const auto twice = std::adjacent_find(rows.begin(), rows.end());
  if (twice == rows.end()) return;
  throw Error(ErrorKind::kUsage, "indices holds row " + std::to_string(*twice) + " twice");
}

void BatchFill(const nb::list& matchers, nb::handle bitmask,
               const std::optional<std::vector<int64_t>>& indices, ThreadPool& pool) {
  const MatcherList list(matchers);
  if (list.size() == 0) return;
  const int64_t vocab_size = list[0].compiled()->tokenizer_info()->vocab_size();
  for (size_t i = 1; i < list.size(); ++i) {
    const int64_t size = list[i].compiled()->tokenizer_info()->vocab_size();
    if ((size + 31) / 32 == (vocab_size + 31) / 32) continue;
    throw Error(ErrorKind::kUsage, "matchers[" + std::to_string(i) + "] has a vocabulary of " +
                                       std::to_string(size) + " tokens, matchers[0] one of " +
                                       std::to_string(vocab_size));
  }
  const BitmaskView view(bitmask, "bitmask", vocab_size);
  if (view.is_vector()) throw Error(ErrorKind::kUsage, "bitmask must have 2 dimensions, not 1");
  if (indices) {
    RequireLength("indices", indices->size(), list.size());
    RequireDistinct(*indices);
  }
  const std::span<const int64_t> rows =
      indices ? std::span<const int64_t>(*indices) : std::span<const int64_t>();
  const nb::gil_scoped_release release;
  BatchFillNextTokenBitmask(list.matchers(), view.data(), view.num_rows(), view.row_stride(), rows,
                            &pool);
}

std::vector<bool> BatchAcceptToken(const nb::list& matchers, const nb::list& tokens) {
  RequireLength("tokens", tokens.size(), matchers.size());
  std::vector<int64_t> ids;
  for (nb::handle token : tokens) ids.push_back(TokenIdFrom(token));
  const MatcherList list(matchers);
  std::vector<bool> accepted(list.size());
  const nb::gil_scoped_release release;
  for (size_t i = 0; i < list.size(); ++i) accepted[i] = list[i].AcceptToken(ids[i]);
  return accepted;
}

std::vector<bool> BatchAcceptString(const nb::list& matchers, const nb::list& strings) {
  RequireLength("strings", strings.size(), matchers.size());
  std::vector<std::unique_ptr<StringArgument>> texts;
  for (nb::handle text : strings) texts.push_back(std::make_unique<StringArgument>(text));
  const MatcherList list(matchers);
  std::vector<bool> accepted(list.size());
  {
    const nb::gil_scoped_release release;
    for (size_t i = 0; i < list.size(); ++i) accepted[i] = list[i].AcceptString(texts[i]->view());
  }
  return accepted;
}

void BatchRollback(const nb::list& matchers, const std::vector<int64_t>& num_tokens) {
  RequireLength("num_tokens", num_tokens.size(), matchers.size());
  const MatcherList list(matchers);
  // All counts are checked before the first matcher moves, so that an error leaves all unchanged.
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string place = " (matchers[" + std::to_string(i) + "])";
    if (num_tokens[i] < 0) {
      throw Error(ErrorKind::kValue, "num_tokens must not be negative" + place);
    }
    if (num_tokens[i] > list[i].num_steps()) {
      throw Error(ErrorKind::kUsage, "Cannot roll back " + std::to_string(num_tokens[i]) +
                                         " steps of " + std::to_string(list[i].num_steps()) +
                                         place);
    }
  }
  for (size_t i = 0; i < list.size(); ++i) list[i].Rollback(num_tokens[i]);
}

void WriteTemperatures(nb::handle temperatures, const std::vector<int64_t>& rows,
                       const std::vector<float>& values) {
  const ArrayView view(temperatures, "temperatures", true);
  view.RequireType(ElementType::kFloat32);
  if (view.ndim() != 1) throw Error(ErrorKind::kUsage, "temperatures must have 1 dimension");
  RequireLength("indices", rows.size(), values.size());
  for (int64_t row : rows) {
    if (row >= 0 && row < view.shape(0)) continue;
    throw Error(ErrorKind::kUsage, "row " + std::to_string(row) +
                                       " is outside temperatures, which has " +
                                       std::to_string(view.shape(0)) + " elements");
  }
  float* data = static_cast<float*>(view.data());
  for (size_t i = 0; i < rows.size(); ++i) data[rows[i] * view.stride(0)] = values[i];
}

}  // namespace

void BindBatchMatcher(nb::module_& m) {
  nb::class_<ThreadPool>(m, "ThreadPool", "Threads that fill masks; started when first needed.")
      .def(nb::init<int32_t>(), nb::arg("num_threads"));
  m.def("batch_fill_next_token_bitmask", &BatchFill, nb::arg("matchers"), nb::arg("bitmask").none(),
        nb::arg("indices").none(), nb::arg("pool"),
        nb::sig("def batch_fill_next_token_bitmask(matchers: list[GrammarMatcher], "
                "bitmask: typing.Any, indices: list[int] | None, pool: ThreadPool) -> None"),
        "Fill one row for each matcher on several threads.");
  m.def("batch_accept_token", &BatchAcceptToken, nb::arg("matchers"), nb::arg("tokens"),
        nb::sig("def batch_accept_token(matchers: list[GrammarMatcher], tokens: list[int]) "
                "-> list[bool]"),
        "Accept one token in each matcher.");
  m.def("batch_accept_string", &BatchAcceptString, nb::arg("matchers"), nb::arg("strings"),
        nb::sig("def batch_accept_string(matchers: list[GrammarMatcher], "
                "strings: list[str | bytes]) -> list[bool]"),
        "Accept one string in each matcher.");
  m.def(
      "batch_rollback", &BatchRollback, nb::arg("matchers"), nb::arg("num_tokens"),
      nb::sig("def batch_rollback(matchers: list[GrammarMatcher], num_tokens: list[int]) -> None"),
      "Undo steps in each matcher; all or none.");
  m.def("write_temperatures", &WriteTemperatures, nb::arg("temperatures").none(), nb::arg("rows"),
        nb::arg("values"),
        nb::sig("def write_temperatures(temperatures: typing.Any, rows: list[int], "
                "values: list[float]) -> None"),
        "Store values in elements of a float32 vector.");
}

}  // namespace xgrammar::bindings
