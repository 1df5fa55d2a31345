// Error: composing the message text, and the helpers that make user text safe to quote.
//
// The text is put together from the fields (place, message, hint) whenever one is set, and cut
// between characters where it would be longer than promised. What a kind means to a caller is told
// in the header.
#include "support/error.h"

#include <cstdio>
#include <utility>

#include "support/utf8.h"

namespace xgrammar {

namespace {

constexpr size_t kMaxTextBytes =
    1000;  // The promise of docs/reliability: an error text stays under 1 KB.

}  // namespace

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {
  ComposeText();
}

Error& Error::At(int64_t line, int64_t column) {
  line_ = line;
  column_ = column;
  ComposeText();
  return *this;
}

Error& Error::AtPosition(int64_t position) {
  position_ = position;
  ComposeText();
  return *this;
}

Error& Error::AtPointer(std::string pointer) {
  has_pointer_ = true;
  pointer_ = std::move(pointer);
  ComposeText();
  return *this;
}

Error& Error::Feature(std::string feature) {
  feature_ = std::move(feature);
  return *this;
}

Error& Error::Limit(std::string name, int64_t value, int64_t maximum) {
  limit_name_ = std::move(name);
  limit_value_ = value;
  limit_maximum_ = maximum;
  return *this;
}

Error& Error::Stage(std::string stage) {
  stage_ = std::move(stage);
  return *this;
}

Error& Error::Hint(std::string hint) {
  hint_ = std::move(hint);
  ComposeText();
  return *this;
}

Error& Error::WholeText(std::string text) {
  has_whole_text_ = true;
  text_ = std::move(text);
  return *this;
}

void Error::ComposeText() {
  if (has_whole_text_) return;
  text_ = message_;
  if (line_ > 0) {
    text_ += " at line " + std::to_string(line_) + ", column " + std::to_string(column_);
  }
  if (has_pointer_) {
    text_ += pointer_.empty() ? std::string(" at the schema root")
                              : " at " + QuoteForMessage(pointer_, 300);
  }
  if (!hint_.empty()) {
    text_ += "; " + hint_;
  }
  if (text_.size() > kMaxTextBytes) {
    size_t cut = kMaxTextBytes - 4;
    while (cut > 0 && (static_cast<unsigned char>(text_[cut]) & 0xC0) == 0x80)
      --cut;  // Keep characters whole.
    text_.resize(cut);
    text_ += " ...";
  }
}

std::string QuoteForMessage(std::string_view text, size_t max_bytes) {
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    if (out.size() >= max_bytes) {
      out += "...";
      break;
    }
    DecodedCodePoint d = DecodeUtf8(text, i);
    if (!d.valid) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", static_cast<unsigned char>(text[i]));
      out += buffer;
      i += 1;
      continue;
    }
    if (d.code_point < 0x20 || d.code_point == 0x7F ||
        (d.code_point >= 0x80 && d.code_point < 0xA0)) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", d.code_point);
      out += buffer;
    } else {
      out.append(text.substr(i, d.size));
    }
    i += d.size;
  }
  return out;
}

void ThrowLimitError(const char* limit_name, int64_t value, int64_t maximum,
                     const std::string& where) {
  std::string message = std::string("The limit ") + limit_name +
                        " was exceeded: " + std::to_string(value) + " is larger than " +
                        std::to_string(maximum);
  if (!where.empty()) message += " in " + where;
  Error error(ErrorKind::kLimit, std::move(message));
  error.Limit(limit_name, value, maximum);
  error.Hint(std::string("raise ") + limit_name + " with xgrammar.Limits or send a smaller input");
  throw error;
}

void ThrowFixedLimitError(const std::string& what, int64_t value, int64_t maximum) {
  Error error(ErrorKind::kLimit, "A fixed limit was exceeded by " + what + ": " +
                                     std::to_string(value) + " is larger than " +
                                     std::to_string(maximum));
  error.Limit("", value, maximum);
  error.Hint("send a smaller input");
  throw error;
}

}  // namespace xgrammar
