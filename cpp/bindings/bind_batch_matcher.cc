// _core functions over many matchers at once, and the pool of threads that fills masks.
//
// Each call marks all matchers of its list as busy, checks every argument before anything changes,
// and gives up the interpreter lock for the whole batch. Filling and accepting run on several
// threads (matcher/batch.h); rolling back is quick and goes one by one.
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

// The matchers of a list, all marked as busy and kept alive until the end of the call, whatever
// happens to the list meanwhile.
class MatcherList {
 public:
  explicit MatcherList(const nb::list& matchers) {
    matchers_.reserve(matchers.size());
    held_.reserve(matchers.size());
    MatcherReader reader;
    ForEachOf(matchers, [&](nb::object item) {
      MatcherHandle* handle = reader.Read(item, matchers_.size());
      try {
        held_.push_back({std::move(item), MatcherGuard(handle)});
      } catch (const Error&) {
        throw Error(ErrorKind::kUsage, "matchers[" + std::to_string(matchers_.size()) +
                                           "] is in use by another call or twice in the list");
      }
      matchers_.push_back(&handle->matcher);
    });
  }
  std::span<GrammarMatcher* const> matchers() const { return matchers_; }
  size_t size() const { return matchers_.size(); }
  GrammarMatcher& operator[](size_t i) const { return *matchers_[i]; }
  const TokenizerInfo& tokenizer(size_t i) const { return held_[i].guard.tokenizer(); }

 private:
  struct Held {
    nb::object object;
    MatcherGuard guard;  // Destroyed first.
  };
  std::vector<GrammarMatcher*> matchers_;
  std::vector<Held> held_;
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

void BatchFill(const nb::list& matchers, nb::handle bitmask, const std::optional<nb::list>& indices,
               ThreadPool& pool) {
  const std::vector<int64_t> rows =
      indices ? IntegersFrom(*indices, "indices") : std::vector<int64_t>();
  const MatcherList list(matchers);
  if (list.size() == 0) return;
  const int64_t vocab_size = list.tokenizer(0).vocab_size();
  for (size_t i = 1; i < list.size(); ++i) {
    if (&list.tokenizer(i) == &list.tokenizer(0)) continue;
    const int64_t size = list.tokenizer(i).vocab_size();
    if ((size + 31) / 32 == (vocab_size + 31) / 32) continue;
    throw Error(ErrorKind::kUsage, "matchers[" + std::to_string(i) + "] has a vocabulary of " +
                                       std::to_string(size) + " tokens, matchers[0] one of " +
                                       std::to_string(vocab_size));
  }
  const BitmaskView view(bitmask, "bitmask", vocab_size);
  if (view.is_vector()) throw Error(ErrorKind::kUsage, "bitmask must have 2 dimensions, not 1");
  if (indices) {
    RequireLength("indices", rows.size(), list.size());
    RequireDistinct(rows);
  }
  const nb::gil_scoped_release release;
  BatchFillNextTokenBitmask(list.matchers(), view.data(), view.num_rows(), view.row_stride(), rows,
                            &pool);
}

nb::list AsBools(const std::vector<uint8_t>& flags) {
  nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(flags.size())));
  if (!result.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < flags.size(); ++i) {
    nb::object flag = nb::borrow(flags[i] != 0 ? Py_True : Py_False);
    PyList_SetItem(result.ptr(), static_cast<Py_ssize_t>(i), flag.release().ptr());
  }
  return result;
}

nb::list BatchAcceptTokens(const nb::list& matchers, const nb::list& tokens, ThreadPool* pool) {
  const std::vector<int64_t> ids = TokenIdsFrom(tokens);
  const MatcherList list(matchers);
  RequireLength("tokens", ids.size(), list.size());
  std::vector<uint8_t> accepted(list.size());
  {
    const nb::gil_scoped_release release;
    BatchAcceptToken(list.matchers(), ids, accepted, pool);
  }
  return AsBools(accepted);
}

nb::list BatchAcceptStrings(const nb::list& matchers, const nb::list& strings, ThreadPool* pool) {
  std::vector<std::unique_ptr<StringArgument>> texts;
  std::vector<std::string_view> views;
  for (nb::handle text : strings) {
    views.push_back(texts.emplace_back(std::make_unique<StringArgument>(text))->view());
  }
  const MatcherList list(matchers);
  RequireLength("strings", views.size(), list.size());
  std::vector<uint8_t> accepted(list.size());
  {
    const nb::gil_scoped_release release;
    BatchAcceptString(list.matchers(), views, accepted, pool);
  }
  return AsBools(accepted);
}

void BatchRollback(const nb::list& matchers, const std::vector<int64_t>& num_tokens) {
  const MatcherList list(matchers);
  RequireLength("num_tokens", num_tokens.size(), list.size());
  // All counts are checked before the first matcher moves, so that an error leaves all unchanged.
  for (size_t i = 0; i < list.size(); ++i) {
    if (num_tokens[i] >= 0 && num_tokens[i] <= list[i].num_steps()) continue;
    const std::string place = " (matchers[" + std::to_string(i) + "])";
    if (num_tokens[i] < 0) {
      throw Error(ErrorKind::kValue, "num_tokens must not be negative" + place);
    }
    throw Error(ErrorKind::kUsage, "Cannot roll back " + std::to_string(num_tokens[i]) +
                                       " steps of " + std::to_string(list[i].num_steps()) + place);
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
  m.def("batch_accept_token", &BatchAcceptTokens, nb::arg("matchers"), nb::arg("tokens"),
        nb::arg("pool").none(),
        nb::sig("def batch_accept_token(matchers: list[GrammarMatcher], tokens: list[int], "
                "pool: ThreadPool | None) -> list[bool]"),
        "Accept one token in each matcher; without a pool, on the calling thread.");
  m.def("batch_accept_string", &BatchAcceptStrings, nb::arg("matchers"), nb::arg("strings"),
        nb::arg("pool").none(),
        nb::sig("def batch_accept_string(matchers: list[GrammarMatcher], "
                "strings: list[str | bytes], pool: ThreadPool | None) -> list[bool]"),
        "Accept one string in each matcher; without a pool, on the calling thread.");
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
