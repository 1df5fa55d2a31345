// ValuePrefix: reading, keys, and the comparison along the path of what is still open.
//
// Nodes stand in the order in which they begin, so keys are made from the last node to the first.
// A key is a postfix form: scalars as text with a length or an end mark, containers after their
// children, members sorted.
#include "parser/value_prefix.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/decimal.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNumberCharacter(char c) {
  return IsDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

ByteSet BytesOf(std::string_view text) {
  ByteSet bytes;
  for (char c : text) bytes.Add(static_cast<uint8_t>(c));
  return bytes;
}

ByteSet AllBytes() {
  ByteSet bytes;
  bytes.AddRange(0, 0xFF);
  return bytes;
}

constexpr std::string_view kSpaces = " \t\n\r";
// Escapes of one letter, and what they mean.
constexpr std::string_view kEscapeNames = "\"\\/bfnrt";
constexpr std::string_view kEscapeMeanings = "\"\\/\b\f\n\r\t";
constexpr std::string_view kEscapeBytes = "\"\\/bfnrtu0123456789abcdefABCDEF";

bool IsNumber(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i - begin;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const size_t integer = i;
  const size_t num_digits = digits();
  if (num_digits == 0 || (num_digits > 1 && text[integer] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::string NumberKey(const std::string& text) {
  if (!IsNumber(text)) return "x" + text + ";";
  return "n" + Decimal::FromJsonNumber(text).CanonicalKey() + ";";
}

std::string_view WordOf(JsonKind kind) {
  return kind == JsonKind::kTrue ? "true" : kind == JsonKind::kFalse ? "false" : "null";
}

// Surrogates alone have no UTF-8 form; they get the three bytes that their number would have.
void AppendCodeUnit(uint32_t unit, std::string* out) {
  out->push_back(static_cast<char>(0xE0 | (unit >> 12)));
  out->push_back(static_cast<char>(0x80 | ((unit >> 6) & 0x3F)));
  out->push_back(static_cast<char>(0x80 | (unit & 0x3F)));
}

// What may come next of an escape, of which `read` is the beginning, that spells an ASCII
// character.
void AddEscapeBytes(std::string_view read, char meant, ByteSet* out) {
  const size_t name = kEscapeMeanings.find(meant);
  if (read.size() == 1 && name != std::string_view::npos)
    out->Add(static_cast<uint8_t>(kEscapeNames[name]));
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(meant);
  const std::array<char, 6> spelled{'\\', 'u', '0', '0', kDigits[code >> 4], kDigits[code & 15]};
  constexpr size_t kFirstDigit = 2;
  for (size_t i = 1; i < read.size(); ++i) {
    const char c = i < kFirstDigit ? read[i] : static_cast<char>(read[i] | 0x20);
    if (c != spelled[i]) return;
  }
  const char next = spelled[read.size()];
  out->Add(static_cast<uint8_t>(next));
  if (read.size() >= kFirstDigit && !IsDigit(next)) out->Add(static_cast<uint8_t>(next & ~0x20));
}

bool IsHigh(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLow(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

ValuePrefix::ValuePrefix(std::string_view text) {
  for (char c : text) {
    Read(c);
    if (place_ == Place::kIllFormed) return;
  }
}

bool ValuePrefix::IsComplete() const {
  if (nodes_.empty() || !open_.empty()) return false;
  return place_ == Place::kAfter || (place_ == Place::kNumber && IsNumber(nodes_[0].text));
}

std::optional<std::string_view> ValuePrefix::OpenString() const {
  const bool is_open = place_ == Place::kString && open_.empty() && escape_.empty();
  if (!is_open || surrogate_ != 0) return std::nullopt;
  return string_;
}

std::optional<std::string_view> ValuePrefix::StringText() const {
  if (nodes_[0].kind != JsonKind::kString) return std::nullopt;
  return nodes_[0].text;
}

void ValuePrefix::Read(char c) {
  if (place_ == Place::kString) return ReadString(c);
  if (place_ == Place::kNumber) {
    if (IsNumberCharacter(c)) {
      nodes_.back().text.push_back(c);
      return;
    }
    EndValue();
  }
  if (place_ == Place::kWord) {
    std::string& word = nodes_.back().text;
    word.push_back(c);
    if (word == WordOf(nodes_.back().kind)) EndValue();
    return;
  }
  if (!IsJsonSpace(c)) ReadPlace(c);
}

void ValuePrefix::ReadPlace(char c) {
  switch (place_) {
    case Place::kFirstItem:
      return c == ']' ? Close(JsonKind::kArray) : BeginValue(c);
    case Place::kValue:
      return BeginValue(c);
    case Place::kFirstName:
      if (c == '}') return Close(JsonKind::kObject);
      [[fallthrough]];
    case Place::kName:
      if (c == '"') return BeginString(true);
      break;
    case Place::kColon:
      if (c != ':') break;
      place_ = Place::kValue;
      return;
    case Place::kAfter:
      if (open_.empty()) break;
      if (c == ']') return Close(JsonKind::kArray);
      if (c == '}') return Close(JsonKind::kObject);
      if (c != ',') break;
      place_ = node(open_.back()).kind == JsonKind::kArray ? Place::kValue : Place::kName;
      return;
    default:
      break;
  }
  place_ = Place::kIllFormed;
}

void ValuePrefix::BeginValue(char c) {
  const auto id = static_cast<NodeId>(nodes_.size());
  if (!open_.empty()) nodes_[static_cast<size_t>(open_.back())].children.push_back(id);
  Node& value = nodes_.emplace_back();
  value.end = id + 1;
  if (c == '[' || c == '{') {
    value.kind = c == '[' ? JsonKind::kArray : JsonKind::kObject;
    open_.push_back(id);
    place_ = c == '[' ? Place::kFirstItem : Place::kFirstName;
  } else if (c == '"') {
    value.kind = JsonKind::kString;
    BeginString(false);
  } else if (c == '-' || IsDigit(c)) {
    value.kind = JsonKind::kNumber;
    value.text.push_back(c);
    place_ = Place::kNumber;
  } else if (c == 't' || c == 'f' || c == 'n') {
    value.kind = c == 't' ? JsonKind::kTrue : c == 'f' ? JsonKind::kFalse : JsonKind::kNull;
    value.text.push_back(c);
    place_ = Place::kWord;
  } else {
    place_ = Place::kIllFormed;
  }
}

void ValuePrefix::EndValue() { place_ = Place::kAfter; }

void ValuePrefix::Close(JsonKind kind) {
  Node& container = nodes_[static_cast<size_t>(open_.back())];
  if (container.kind != kind) {
    place_ = Place::kIllFormed;
    return;
  }
  container.end = static_cast<NodeId>(nodes_.size());
  open_.pop_back();
  EndValue();
}

void ValuePrefix::BeginString(bool is_name) {
  is_name_ = is_name;
  string_.clear();
  place_ = Place::kString;
}

void ValuePrefix::ReadString(char c) {
  if (!escape_.empty()) return ReadEscape(c);
  if (c == '\\') {
    escape_.push_back(c);
    return;
  }
  FlushSurrogate();
  if (c == '"') return EndString();
  string_.push_back(c);
}

void ValuePrefix::ReadEscape(char c) {
  escape_.push_back(c);
  if (escape_.size() == 2 && c != 'u') {
    const size_t at = kEscapeNames.find(c);
    FlushSurrogate();
    if (at == std::string_view::npos) {
      place_ = Place::kIllFormed;
      return;
    }
    string_.push_back(kEscapeMeanings[at]);
    escape_.clear();
    return;
  }
  constexpr size_t kWholeEscape = 6;
  if (escape_.size() < kWholeEscape) return;
  uint32_t unit = 0;
  for (char digit : std::string_view(escape_).substr(2)) {
    const auto lower = static_cast<uint32_t>(digit | 0x20);
    unit = unit * 16 + (IsDigit(digit) ? lower - '0' : lower - 'a' + 10);
  }
  escape_.clear();
  EndEscape(unit & 0xFFFF);
}

void ValuePrefix::EndEscape(uint32_t code_unit) {
  if (surrogate_ != 0 && IsLow(code_unit)) {
    AppendUtf8(0x10000 + ((surrogate_ - 0xD800) << 10) + (code_unit - 0xDC00), &string_);
    surrogate_ = 0;
    return;
  }
  FlushSurrogate();
  if (IsHigh(code_unit)) {
    surrogate_ = code_unit;
  } else if (IsLow(code_unit)) {
    AppendCodeUnit(code_unit, &string_);
  } else {
    AppendUtf8(code_unit, &string_);
  }
}

void ValuePrefix::FlushSurrogate() {
  if (surrogate_ == 0) return;
  AppendCodeUnit(surrogate_, &string_);
  surrogate_ = 0;
}

void ValuePrefix::EndString() {
  if (is_name_) {
    nodes_[static_cast<size_t>(open_.back())].names.push_back(string_);
    place_ = Place::kColon;
  } else {
    nodes_.back().text = string_;
    EndValue();
  }
}

std::string ValuePrefix::KeyOf(NodeId id) const {
  const NodeId end = node(id).end;
  std::vector<std::string> keys(static_cast<size_t>(end - id));
  for (NodeId at = end; at-- > id;) {
    const Node& n = node(at);
    std::string& key = keys[static_cast<size_t>(at - id)];
    const auto append = [&](NodeId child) {
      std::string& part = keys[static_cast<size_t>(child - id)];
      // The first child's key is the beginning of its parent's: deep nesting copies nothing.
      if (key.empty()) {
        key = std::move(part);
      } else {
        key += part;
      }
    };
    switch (n.kind) {
      case JsonKind::kString:
        key = "s" + std::to_string(n.text.size()) + ":" + n.text;
        break;
      case JsonKind::kNumber:
        key = NumberKey(n.text);
        break;
      case JsonKind::kArray:
        for (NodeId child : n.children) append(child);
        key += "]" + std::to_string(n.children.size()) + ";";
        break;
      case JsonKind::kObject: {
        std::vector<size_t> order(n.children.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto key_of = [&](size_t i) -> const std::string& {
          return keys[static_cast<size_t>(n.children[i] - id)];
        };
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
          return n.names[a] != n.names[b] ? n.names[a] < n.names[b] : key_of(a) < key_of(b);
        });
        for (size_t i : order) {
          append(n.children[i]);
          key += ":" + std::to_string(n.names[i].size()) + ":" + n.names[i];
        }
        key += "}" + std::to_string(n.children.size()) + ";";
        break;
      }
      default:
        key = WordOf(n.kind).substr(0, 1);
        break;
    }
  }
  return std::move(keys[0]);
}

ByteSet ValuePrefix::BytesTowards(const ValuePrefix& value) const {
  if (place_ == Place::kIllFormed) return {};
  if (!value.IsComplete()) return AllBytes();
  const auto first_bytes = [&](const Node& n) { return ValuePrefix("").ScalarBytes(n); };
  if (nodes_.empty()) return first_bytes(value.node(0));
  // More than one where a name occurs twice.
  struct Target {
    NodeId node = 0;
    std::string_view after = kAfterRoot;
  };
  std::vector<Target> targets(1);
  ByteSet bytes;
  for (size_t depth = 0; depth < open_.size(); ++depth) {
    const Node& own = node(open_[depth]);
    const bool has_partial = depth + 1 < open_.size() || IsInScalar();
    const size_t num_done = own.children.size() - (has_partial ? 1 : 0);
    std::vector<Target> inner;
    for (const Target& target : targets) {
      const Node& other = value.node(target.node);
      std::vector<size_t> left;
      if (own.kind != other.kind || !TakeDone(own, num_done, value, other, &left)) continue;
      if (!has_partial) {
        bytes.Merge(PlaceBytes(own, value, other, left));
        continue;
      }
      const std::string_view after = left.size() > 1                ? ","
                                     : own.kind == JsonKind::kArray ? "]"
                                                                    : "}";
      if (own.kind == JsonKind::kArray) {
        if (!left.empty()) inner.push_back({other.children[left.front()], after});
        continue;
      }
      for (size_t i : left) {
        if (other.names[i] == own.names[num_done]) inner.push_back({other.children[i], after});
      }
    }
    if (!has_partial) {
      if (!bytes.empty() && place_ != Place::kString) bytes.Merge(BytesOf(kSpaces));
      return bytes;
    }
    targets = std::move(inner);
  }
  if (!IsInScalar()) return {};  // Complete.
  for (const Target& target : targets)
    bytes.Merge(ScalarBytes(value.node(target.node), target.after));
  return bytes;
}

bool ValuePrefix::TakeDone(const Node& own, size_t num_done, const ValuePrefix& value,
                           const Node& other, std::vector<size_t>* left) const {
  if (num_done > other.children.size()) return false;
  for (size_t i = 0; i < other.children.size(); ++i) left->push_back(i);
  for (size_t i = 0; i < num_done; ++i) {
    const NodeId child = own.children[i];
    const auto is_same = [&](size_t k) {
      if (own.kind == JsonKind::kObject && own.names[i] != other.names[k]) return false;
      const NodeId candidate = other.children[k];
      return node(child).kind == value.node(candidate).kind &&
             KeyOf(child) == value.KeyOf(candidate);
    };
    const auto found = own.kind == JsonKind::kArray
                           ? (is_same(left->front()) ? left->begin() : left->end())
                           : std::find_if(left->begin(), left->end(), is_same);
    if (found == left->end()) return false;
    left->erase(found);
  }
  return true;
}

ByteSet ValuePrefix::PlaceBytes(const Node& own, const ValuePrefix& value, const Node& other,
                                const std::vector<size_t>& left) const {
  ByteSet bytes;
  const bool is_array = own.kind == JsonKind::kArray;
  const auto first_bytes = [&](size_t i) {
    return ValuePrefix("").ScalarBytes(value.node(other.children[i]));
  };
  switch (place_) {
    case Place::kFirstItem:
    case Place::kFirstName:
      if (left.empty()) return BytesOf(is_array ? "]" : "}");
      return is_array ? first_bytes(left.front()) : BytesOf("\"");
    case Place::kName:
      return left.empty() ? ByteSet{} : BytesOf("\"");
    case Place::kString:
      for (size_t i : left) AddStringBytes(other.names[i], &bytes);
      return bytes;
    case Place::kColon:
      for (size_t i : left) {
        if (other.names[i] == own.names.back()) return BytesOf(":");
      }
      return {};
    case Place::kValue:
      if (is_array) return left.empty() ? ByteSet{} : first_bytes(left.front());
      for (size_t i : left) {
        if (other.names[i] == own.names.back()) bytes.Merge(first_bytes(i));
      }
      return bytes;
    case Place::kAfter:
      return BytesOf(!left.empty() ? "," : is_array ? "]" : "}");
    default:
      return {};
  }
}

// Of an empty prefix: the bytes with which the value begins.
ByteSet ValuePrefix::ScalarBytes(const Node& other, std::string_view after) const {
  const bool is_empty = nodes_.empty();
  if (!is_empty && nodes_.back().kind != other.kind) return {};
  ByteSet bytes;
  switch (other.kind) {
    case JsonKind::kArray:
    case JsonKind::kObject:
      if (is_empty) bytes.Add(other.kind == JsonKind::kArray ? '[' : '{');
      return bytes;
    case JsonKind::kString:
      if (is_empty) return BytesOf("\"");
      AddStringBytes(other.text, &bytes);
      return bytes;
    case JsonKind::kNumber:
      return NumberBytes(other, after);
    default: {
      const size_t read = is_empty ? 0 : nodes_.back().text.size();
      const std::string_view word = WordOf(other.kind);
      if (read < word.size()) bytes.Add(static_cast<uint8_t>(word[read]));
      return bytes;
    }
  }
}

void ValuePrefix::AddStringBytes(std::string_view text, ByteSet* out) const {
  if (!text.starts_with(string_)) return;
  if (!escape_.empty() || surrogate_ != 0) {
    if (text.size() == string_.size()) return;
    const auto next = static_cast<unsigned char>(text[string_.size()]);
    if (surrogate_ == 0 && next < 0x80) return AddEscapeBytes(escape_, text[string_.size()], out);
    out->Merge(surrogate_ != 0 && escape_.empty() ? AllBytes() : BytesOf(kEscapeBytes));
  } else if (text.size() == string_.size()) {
    out->Add('"');
  } else {
    out->Add(static_cast<uint8_t>(text[string_.size()]));
    out->Add('\\');
  }
}

// An exponent can make up for any number of zeros, so the digits between them are what counts.
ByteSet ValuePrefix::NumberBytes(const Node& other, std::string_view after) const {
  const std::string own = nodes_.empty() ? std::string() : nodes_.back().text;
  if (!IsNumber(other.text)) return AllBytes();
  const Decimal value = Decimal::FromJsonNumber(other.text);
  const std::string digits = value.IsZero() ? "" : value.digits();
  const bool is_negative = !own.empty() && own[0] == '-';
  if (is_negative && !value.negative() && !value.IsZero()) return {};
  if (!own.empty() && !is_negative && value.negative()) return {};
  const size_t exponent = own.find_first_of("eE");
  std::string significant;
  for (char c : std::string_view(own).substr(0, exponent)) {
    if (IsDigit(c) && (c != '0' || !significant.empty())) significant.push_back(c);
  }
  for (size_t i = 0; i < significant.size(); ++i) {
    if (significant[i] != (i < digits.size() ? digits[i] : '0')) return {};
  }
  ByteSet bytes;
  if (own.empty() && (value.negative() || value.IsZero())) bytes.Add('-');
  if (exponent != std::string::npos) {
    bytes.Merge(BytesOf("+-0123456789"));
  } else if (!own.empty() || !value.negative()) {
    const size_t next = significant.size();
    bytes.Add('0');
    if (next < digits.size()) bytes.Add(static_cast<uint8_t>(digits[next]));
    if (!own.empty()) bytes.Merge(BytesOf(".eE"));
  }
  if (IsNumber(own) && Decimal::FromJsonNumber(own) == value) {
    bytes.Merge(BytesOf(kSpaces));
    bytes.Merge(BytesOf(after));
  }
  return bytes;
}

}  // namespace xgrammar
