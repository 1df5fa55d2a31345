// TokenizerInfo's JSON forms, writing side. The texts are fixed by the public API (dump_metadata)
// or versioned (serialize_json); both are plain ASCII.
//
// The vocabulary is written as decoded bytes, never as the spellings it was made of.
#include <cstdio>

#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

namespace {

void AppendIds(const std::vector<int32_t>& ids, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out->push_back(',');
    *out += std::to_string(ids[i]);
  }
  out->push_back(']');
}

// Bytes as a JSON string whose characters are U+0000..U+00FF: the only mapping of arbitrary bytes
// that every JSON reader returns unchanged.
void AppendBytes(const std::string& bytes, std::string* out) {
  out->push_back('"');
  for (const char c : bytes) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F) {
      char escape[7];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      *out += escape;
    } else {
      if (c == '"' || c == '\\') out->push_back('\\');
      out->push_back(c);
    }
  }
  out->push_back('"');
}

}  // namespace

std::string TokenizerInfo::DumpMetadata() const {
  std::string out = "{\"vocab_type\":" + std::to_string(static_cast<int>(vocab_type_));
  out += ",\"vocab_size\":" + std::to_string(vocab_size_);
  out += std::string(",\"add_prefix_space\":") + (add_prefix_space_ ? "true" : "false");
  out += ",\"stop_token_ids\":";
  AppendIds(stop_token_ids_, &out);
  out += "}";
  return out;
}

std::string TokenizerInfo::SerializeJson() const {
  std::string out = DumpMetadata();
  out.pop_back();
  out += ",\"special_token_ids\":";
  AppendIds(special_token_ids_, &out);
  out += ",\"decoded_vocab\":[";
  for (size_t i = 0; i < decoded_vocab_.size(); ++i) {
    if (i > 0) out.push_back(',');
    AppendBytes(decoded_vocab_[i], &out);
  }
  out += "],\"__VERSION__\":\"" + std::string(kSerializationVersion) + "\"}";
  return out;
}

}  // namespace xgrammar
