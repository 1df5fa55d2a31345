// The JSON reader: one loop over the text with an explicit stack of open containers (RFC 8259
// grammar).
//
// Children of a container are collected on shared pending stacks and copied to their final,
// contiguous place when the container closes. Duplicate keys are merged at that moment; small
// objects compare keys, large ones use a hash table.
#include "json/parser.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

constexpr size_t kLinearKeyScan =
    12;  // Up to this many members a scan beats building a hash table.

constexpr int64_t kAnyDepth = std::numeric_limits<int64_t>::max();

/// Of the process; see SetMaxJsonDepth.
std::atomic<int64_t> max_json_depth{kAnyDepth};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of strings that stand for themselves and are a character each.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain{};
  for (size_t c = 0x20; c < 0x7F; ++c) is_plain[c] = c != '"' && c != '\\';
  return is_plain;
}();

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

/// Owns the document under construction; used for one text by one thread.
class JsonParser {
 public:
  JsonParser(std::string_view text, const Limits& limits)
      : text_(text),
        limits_(limits),
        process_depth_(max_json_depth.load(std::memory_order_relaxed)) {
    document_.text_.reserve(text.size());
  }

  JsonDocument Parse() {
    SkipSpace();
    ParseValues();
    SkipSpace();
    if (position_ != text_.size()) Fail("Unexpected text after the JSON value");
    return std::move(document_);
  }

 private:
  struct Frame {
    JsonId id = kNoJson;
    size_t pending_start = 0;
    bool is_object = false;
  };

  [[noreturn]] void Fail(const std::string& message) const { FailAt(position_, message); }

  [[noreturn]] void FailAt(size_t offset, const std::string& message) const {
    int64_t line = 1;
    size_t line_start = 0;
    for (size_t i = 0; i < offset && i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        ++line;
        line_start = i + 1;
      }
    }
    const int64_t column = 1 + CountCodePoints(text_.substr(line_start, offset - line_start));
    Error error(ErrorKind::kInvalidJson, "Invalid JSON: " + message);
    error.At(line, column);
    throw error;
  }

  bool AtEnd() const { return position_ >= text_.size(); }
  char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  void SkipSpace() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (!IsJsonSpace(c)) break;
      ++position_;
    }
  }

  JsonId AddNode(JsonKind kind, size_t source_offset) {
    CountWork("reading JSON");
    JsonDocument::Node node;
    node.kind = kind;
    node.source_offset = static_cast<int32_t>(source_offset);
    document_.nodes_.push_back(node);
    return static_cast<JsonId>(document_.nodes_.size() - 1);
  }

  // Parses one value and, while containers are open, all that follows inside them.
  void ParseValues() {
    while (true) {
      JsonId id = ParseScalarOrOpen();
      if (id == kNoJson) continue;  // A non-empty container was opened; its first child comes next.
      while (true) {
        if (frames_.empty()) {
          document_.root_ = id;
          return;
        }
        if (!AddChildAndContinue(id)) break;
        id = CloseContainer();
      }
    }
  }

  // Returns the finished value, or kNoJson after opening a container that has at least one child.
  JsonId ParseScalarOrOpen() {
    if (AtEnd()) Fail("the text ends where a value is expected");
    const size_t start = position_;
    switch (Peek()) {
      case '{':
      case '[':
        return Open(start);
      case '"': {
        const JsonId id = AddNode(JsonKind::kString, start);
        const auto [offset, size] = ParseString();
        SetText(id, offset, size);
        return id;
      }
      case 't':
        return ParseWord("true", JsonKind::kTrue);
      case 'f':
        return ParseWord("false", JsonKind::kFalse);
      case 'n':
        return ParseWord("null", JsonKind::kNull);
      default:
        return ParseNumber();
    }
  }

  void CheckDepth() const {
    const auto depth = static_cast<int64_t>(frames_.size());
    if (depth < std::min(limits_.max_nesting, process_depth_)) return;
    if (limits_.max_nesting < process_depth_)
      ThrowLimitError("max_nesting", depth + 1, limits_.max_nesting, "the JSON text");
    Error error(ErrorKind::kLimit, "The JSON text is nested more deeply than " +
                                       std::to_string(process_depth_) + " levels");
    error.Limit("max_recursion_depth", depth + 1, process_depth_);
    error.Hint("raise it with xgrammar.set_max_recursion_depth or send a smaller input");
    throw error;
  }

  JsonId Open(size_t start) {
    const bool is_object = Peek() == '{';
    CheckDepth();
    ++position_;
    const JsonId id = AddNode(is_object ? JsonKind::kObject : JsonKind::kArray, start);
    frames_.push_back({id, is_object ? pending_members_.size() : pending_items_.size(), is_object});
    SkipSpace();
    if (Peek() == (is_object ? '}' : ']')) {
      ++position_;
      return CloseContainer();
    }
    if (is_object) ParseKey();
    return kNoJson;
  }

  void ParseKey() {
    if (Peek() != '"') Fail("expected a string as object key");
    const auto [offset, size] = ParseString();
    pending_members_.push_back({offset, size, kNoJson});
    SkipSpace();
    if (Peek() != ':') Fail("expected ':' after an object key");
    ++position_;
    SkipSpace();
  }

  // Files `id` under the innermost container. True if that container ends here, false if another
  // value follows.
  bool AddChildAndContinue(JsonId id) {
    const Frame& frame = frames_.back();
    if (frame.is_object) {
      pending_members_.back().value = id;
    } else {
      pending_items_.push_back(id);
    }
    SkipSpace();
    if (Peek() == ',') {
      ++position_;
      SkipSpace();
      if (frame.is_object) ParseKey();
      return false;
    }
    if (Peek() != (frame.is_object ? '}' : ']')) {
      Fail(frame.is_object ? "expected ',' or '}' in an object"
                           : "expected ',' or ']' in an array");
    }
    ++position_;
    return true;
  }

  JsonId CloseContainer() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    JsonDocument::Node& node = document_.nodes_[static_cast<size_t>(frame.id)];
    if (frame.is_object) {
      MergeDuplicateKeys(frame.pending_start);
      node.first = static_cast<int32_t>(document_.members_.size());
      node.count = static_cast<int32_t>(pending_members_.size() - frame.pending_start);
      document_.members_.insert(
          document_.members_.end(),
          pending_members_.begin() + static_cast<std::ptrdiff_t>(frame.pending_start),
          pending_members_.end());
      pending_members_.resize(frame.pending_start);
    } else {
      node.first = static_cast<int32_t>(document_.items_.size());
      node.count = static_cast<int32_t>(pending_items_.size() - frame.pending_start);
      document_.items_.insert(
          document_.items_.end(),
          pending_items_.begin() + static_cast<std::ptrdiff_t>(frame.pending_start),
          pending_items_.end());
      pending_items_.resize(frame.pending_start);
    }
    return frame.id;
  }

  void MergeDuplicateKeys(size_t start) {
    const size_t count = pending_members_.size() - start;
    if (count < 2) return;
    std::unordered_map<std::string_view, size_t> places;
    size_t kept = start;
    for (size_t i = start; i < pending_members_.size(); ++i) {
      const JsonDocument::Member member = pending_members_[i];
      const std::string_view key = document_.key(member);
      size_t place = kept;
      if (count <= kLinearKeyScan) {
        place = start;
        while (place < kept && document_.key(pending_members_[place]) != key) ++place;
      } else {
        place = places.try_emplace(key, kept).first->second;
      }
      if (place == kept) {
        pending_members_[kept++] = member;
      } else {
        pending_members_[place].value = member.value;
      }
    }
    pending_members_.resize(kept);
  }

  JsonId ParseWord(std::string_view word, JsonKind kind) {
    if (text_.substr(position_, word.size()) != word) Fail("expected a value");
    const JsonId id = AddNode(kind, position_);
    position_ += word.size();
    return id;
  }

  size_t SkipDigits() {
    const size_t start = position_;
    while (IsDigit(Peek())) ++position_;
    return position_ - start;
  }

  JsonId ParseNumber() {
    const size_t start = position_;
    if (Peek() == '-') ++position_;
    if (!IsDigit(Peek())) FailAt(start, "expected a value");
    if (Peek() == '0') {
      ++position_;
      if (IsDigit(Peek())) FailAt(start, "a number must not start with a superfluous zero");
    } else {
      SkipDigits();
    }
    if (Peek() == '.') {
      ++position_;
      if (SkipDigits() == 0) Fail("expected a digit after the decimal point");
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++position_;
      if (Peek() == '+' || Peek() == '-') ++position_;
      if (SkipDigits() == 0) Fail("expected a digit in the exponent");
    }
    const JsonId id = AddNode(JsonKind::kNumber, start);
    const auto offset = static_cast<int32_t>(document_.text_.size());
    document_.text_.append(text_.substr(start, position_ - start));
    SetText(id, offset, static_cast<int32_t>(position_ - start));
    return id;
  }

  void SetText(JsonId id, int32_t offset, int32_t size) {
    JsonDocument::Node& node = document_.nodes_[static_cast<size_t>(id)];
    node.first = offset;
    node.count = size;
  }

  // Decodes a string into the document's text. The decoded form is never longer than the source, so
  // the reserved capacity suffices and views into the text stay valid while parsing.
  std::pair<int32_t, int32_t> ParseString() {
    const size_t opening = position_;
    ++position_;
    std::string& out = document_.text_;
    const size_t offset = out.size();
    while (true) {
      const size_t run = position_;
      while (position_ < text_.size() && IsPlainAscii(text_[position_])) ++position_;
      out.append(text_.substr(run, position_ - run));
      if (AtEnd()) FailAt(opening, "a string is not closed");
      const char c = text_[position_];
      if (c == '"') {
        ++position_;
        return {static_cast<int32_t>(offset), static_cast<int32_t>(out.size() - offset)};
      }
      if (c == '\\') {
        ParseEscape(&out);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        Fail("a control character in a string must be written as an escape");
      } else {
        const DecodedCodePoint decoded = DecodeUtf8(text_, position_);
        if (!decoded.valid) Fail("ill-formed UTF-8 in a string");
        out.append(text_.substr(position_, decoded.size));
        position_ += decoded.size;
      }
    }
  }

  static bool IsPlainAscii(char c) { return kIsPlain[static_cast<unsigned char>(c)]; }

  void ParseEscape(std::string* out) {
    const size_t start = position_;
    ++position_;
    const char c = Peek();
    ++position_;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out->push_back(c);
        return;
      case 'b':
        out->push_back('\b');
        return;
      case 'f':
        out->push_back('\f');
        return;
      case 'n':
        out->push_back('\n');
        return;
      case 'r':
        out->push_back('\r');
        return;
      case 't':
        out->push_back('\t');
        return;
      case 'u':
        AppendUtf8(ParseUnicodeEscape(start), out);
        return;
      default:
        FailAt(start, "unknown escape in a string");
    }
  }

  uint32_t ParseHex4(size_t escape_start) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = HexValue(Peek());
      if (digit < 0) FailAt(escape_start, "'\\u' needs four hexadecimal digits");
      value = value * 16 + static_cast<uint32_t>(digit);
      ++position_;
    }
    return value;
  }

  uint32_t ParseUnicodeEscape(size_t start) {
    const uint32_t first = ParseHex4(start);
    if (first < kSurrogateFirst || first > kSurrogateLast) return first;
    const bool is_high = first <= 0xDBFF;
    if (is_high && text_.substr(position_, 2) == "\\u") {
      position_ += 2;
      const uint32_t second = ParseHex4(start);
      if (second >= 0xDC00 && second <= kSurrogateLast) {
        return 0x10000 + ((first - kSurrogateFirst) << 10) + (second - 0xDC00);
      }
    }
    FailAt(start, "unpaired surrogate escape in a string");
  }

  std::string_view text_;
  const Limits& limits_;
  const int64_t process_depth_;
  size_t position_ = 0;
  JsonDocument document_;
  std::vector<Frame> frames_;
  std::vector<JsonId> pending_items_;
  std::vector<JsonDocument::Member> pending_members_;
};

void SetMaxJsonDepth(int64_t depth) { max_json_depth.store(depth, std::memory_order_relaxed); }

JsonDocument ParseJson(std::string_view text, const Limits& limits) {
  // Offsets are 32 bits wide, whatever the configured limit.
  const int64_t maximum =
      limits.max_source_bytes < 0x7FFFFFFF ? limits.max_source_bytes : 0x7FFFFFFF;
  if (static_cast<int64_t>(text.size()) > maximum) {
    ThrowLimitError("max_source_bytes", static_cast<int64_t>(text.size()), maximum,
                    "the JSON text");
  }
  return JsonParser(text, limits).Parse();
}

}  // namespace xgrammar
