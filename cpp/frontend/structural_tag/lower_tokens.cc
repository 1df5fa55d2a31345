// Formats that match whole tokens: token, exclude_token, any_tokens, token_triggered_tags and
// token_dispatch.
//
// Names of tokens are looked up in the vocabulary here, so these formats need one; lists of ids
// become token sets of the grammar. The end token of the tag around a format is taken out of what
// the format may match. A few names are found by scans of the vocabulary; past that an index of it,
// made once for the tag, is cheaper.
#include <algorithm>
#include <string>

#include "frontend/structural_tag/lower.h"
#include "frontend/structural_tag/tag_error.h"

namespace xgrammar::structural_tag {

namespace {

/// Distinct names past which an index pays: it costs about as much as so many scans.
constexpr size_t kMaxScans = 16;

}  // namespace

/// The least id whose bytes are `text`, or -1.
int32_t Lowerer::LookUpToken(const std::string& text) {
  const std::vector<std::string>& vocab = tokenizer_->decoded_vocab();
  if (token_ids_.size() < kMaxScans) {
    const auto it = std::find(vocab.begin(), vocab.end(), text);
    return it == vocab.end() ? -1 : static_cast<int32_t>(it - vocab.begin());
  }
  if (vocab_index_.empty()) {
    vocab_index_.reserve(vocab.size());
    for (size_t id = 0; id < vocab.size(); ++id) {
      vocab_index_.try_emplace(vocab[id], static_cast<int32_t>(id));
    }
  }
  const auto it = vocab_index_.find(text);
  return it == vocab_index_.end() ? -1 : it->second;
}

int32_t Lowerer::FindToken(const Format& format, const std::string& text) {
  const auto known = token_ids_.find(text);
  if (known != token_ids_.end()) return known->second;
  const auto fail = [&](const std::string& what) {
    throw TagError(tag_.document, format.source,
                   "The token \"" + QuoteForMessage(text) + "\" " + what);
  };
  if (tokenizer_ == nullptr) {
    fail(
        "is given by its text, which requires tokenizer_info: use "
        "GrammarCompiler.compile_structural_tag, or give the id of the token");
  }
  const int32_t id = LookUpToken(text);
  if (id < 0) fail("is not found in vocabulary");
  token_ids_.emplace(text, id);
  return id;
}

int32_t Lowerer::TokenId(const Format& format, const TokenName& name) {
  if (const auto* text = std::get_if<std::string>(&name)) return FindToken(format, *text);
  const int64_t id = std::get<int64_t>(name);
  if (tokenizer_ != nullptr && id >= tokenizer_->vocab_size()) {
    throw TagError(tag_.document, format.source,
                   "Token ID " + std::to_string(id) +
                       " is out of the vocabulary range: there are " +
                       std::to_string(tokenizer_->vocab_size()) + " tokens");
  }
  return static_cast<int32_t>(id);
}

std::vector<int32_t> Lowerer::TokenIds(const Format& format, const std::vector<TokenName>& names) {
  std::vector<int32_t> ids;
  for (const TokenName& name : names) ids.push_back(TokenId(format, name));
  return ids;
}

ExprId Lowerer::LowerValue(const Format& format, const Token& value, const Scope&) {
  return builder_.AddTokenSet({TokenId(format, value.token)}, false);
}

ExprId Lowerer::LowerValue(const Format& format, const ExcludeToken& value, const Scope& scope) {
  std::vector<int32_t> excludes = TokenIds(format, value.excludes);
  if (scope.end_token >= 0) excludes.push_back(scope.end_token);
  return builder_.AddTokenSet(std::move(excludes), true);
}

ExprId Lowerer::LowerValue(const Format& format, const AnyTokens& value, const Scope& scope) {
  std::vector<int32_t> excludes = TokenIds(format, value.excludes);
  if (scope.end_token >= 0) excludes.push_back(scope.end_token);
  return builder_.AddRepeat(builder_.AddTokenSet(std::move(excludes), true), 0,
                            value.max_tokens == kNoBound ? kUnbounded : value.max_tokens);
}

void Lowerer::CheckTokenTriggers(const Format& format, const TokenTriggeredTags& value,
                                 std::vector<int32_t> triggers) {
  std::sort(triggers.begin(), triggers.end());
  if (std::adjacent_find(triggers.begin(), triggers.end()) != triggers.end()) {
    throw TagError(tag_.document, format.source,
                   "A tag of TokenTriggeredTags matches multiple triggers: two trigger_tokens are "
                   "the same token");
  }
  std::vector<bool> is_used(triggers.size(), false);
  for (FormatId id : value.tags) {
    const Format& entry = tag_.format(id);
    const auto* begin = std::get_if<TokenName>(&std::get<Tag>(entry.value).begin);
    if (begin == nullptr) {
      throw TagError(tag_.document, entry.source,
                     "A tag of TokenTriggeredTags must have a token format begin");
    }
    const int32_t token = TokenId(entry, *begin);
    const auto it = std::lower_bound(triggers.begin(), triggers.end(), token);
    if (it == triggers.end() || *it != token) {
      throw TagError(tag_.document, entry.source,
                     "The begin token " + std::to_string(token) +
                         " of a tag does not match any trigger token");
    }
    is_used[static_cast<size_t>(it - triggers.begin())] = true;
  }
  const auto unused = std::find(is_used.begin(), is_used.end(), false);
  if (unused == is_used.end()) return;
  const int32_t token = triggers[static_cast<size_t>(unused - is_used.begin())];
  throw TagError(tag_.document, format.source,
                 "The trigger token " + std::to_string(token) + " is not the begin of any tag");
}

ExprId Lowerer::LowerValue(const Format& format, const TokenTriggeredTags& value,
                           const Scope& scope) {
  const std::vector<int32_t> triggers = TokenIds(format, value.triggers);
  CheckTokenTriggers(format, value, triggers);
  std::vector<int32_t> not_free = TokenIds(format, value.excludes);
  if (scope.end_token >= 0) not_free.push_back(scope.end_token);
  not_free.insert(not_free.end(), triggers.begin(), triggers.end());
  const ExprId free = builder_.AddStar(builder_.AddTokenSet(std::move(not_free), true));
  ExprId tag = AnyTag(value.tags, scope);
  if (!value.flow.at_least_one) return Alternate(free, tag, !value.flow.stop_after_first);
  if (value.flow.stop_after_first) return tag;
  tag = Shared(tag, "tag");
  return builder_.AddSequence({tag, Alternate(free, tag, true)});
}

ExprId Lowerer::LowerValue(const Format& format, const TokenDispatch& value, const Scope& scope) {
  std::vector<int32_t> not_free = TokenIds(format, value.excludes);
  std::vector<ExprId> marked;
  for (const auto& [name, content] : value.rules) {
    const int32_t token = TokenId(format, name);
    not_free.push_back(token);
    const ExprId begin = builder_.AddTokenSet({token}, false);
    marked.push_back(builder_.AddSequence({begin, Lower(content, scope)}));
  }
  const ExprId free = builder_.AddStar(builder_.AddTokenSet(std::move(not_free), true));
  return Alternate(free, builder_.AddChoices(marked), value.loop);
}

}  // namespace xgrammar::structural_tag
