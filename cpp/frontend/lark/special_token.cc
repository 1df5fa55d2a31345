// Parser: tokens as wholes, by their ids (`<[1,3-8]>`, `<[^1]>`, `<[*]>`) or by their text
// (`<name>`).
//
// Ranges are written out, within fixed bounds. Whether a token exists is known later (embedded.cc,
// compiler/named_tokens.h).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "frontend/lark/parser.h"
#include "support/error.h"

namespace xgrammar::lark {

namespace {

constexpr int64_t kMaxRangeWidth = 1000000;
/// Ids of one list, ranges written out.
constexpr size_t kMaxIds = 4000000;

/// Digits from `*position` on; -1 if there are none or they are no id.
int64_t ReadId(std::string_view list, size_t* position) {
  int64_t value = -1;
  for (; *position < list.size() && list[*position] >= '0' && list[*position] <= '9'; ++*position) {
    value = std::max<int64_t>(value, 0) * 10 + (list[*position] - '0');
    if (value > std::numeric_limits<int32_t>::max()) return -1;
  }
  return value;
}

}  // namespace

NodeId Parser::ParseSpecial() {
  const size_t offset = token_.offset;
  const std::string text = token_.text;
  Advance();
  const std::string_view inside = std::string_view(text).substr(1, text.size() - 2);
  if (inside.empty()) source().Fail(offset, "expected a token between '<' and '>'");
  if (inside.front() != '[') return document_->AddLiteral(NodeKind::kTokenText, offset, text);
  if (inside.back() != ']') source().Fail(offset, "expected ']' after a list of token ids");
  return ParseTokenIds(inside.substr(1, inside.size() - 2), offset);
}

NodeId Parser::ParseTokenIds(std::string_view list, size_t offset) {
  TokenIds tokens;
  if (list == "*") {
    tokens.excluding = true;
  } else {
    tokens.excluding = !list.empty() && list.front() == '^';
    size_t position = tokens.excluding ? 1 : 0;
    for (bool more = true; more; ++position) {
      const int64_t first = ReadId(list, &position);
      int64_t last = first;
      if (first >= 0 && position < list.size() && list[position] == '-') {
        last = ReadId(list, &++position);
        if (last < first) source().Fail(offset, "invalid range of token ids");
      }
      if (first < 0) {
        source().Fail(offset, "expected token ids from 0 to 2147483647, separated by commas");
      }
      if (last - first >= kMaxRangeWidth) {
        source().Fail(offset, "a range of token ids may hold at most 1000000 ids");
      }
      for (int64_t id = first; id <= last; ++id) tokens.ids.push_back(static_cast<int32_t>(id));
      if (tokens.ids.size() > kMaxIds) source().Fail(offset, "too many token ids in one list");
      more = position < list.size();
      if (more && list[position] != ',') {
        source().Fail(offset, "expected token ids, separated by commas");
      }
    }
  }
  document_->token_ids.push_back(std::move(tokens));
  return document_->Add(NodeKind::kTokenIds, offset,
                        static_cast<int32_t>(document_->token_ids.size()) - 1);
}

}  // namespace xgrammar::lark
