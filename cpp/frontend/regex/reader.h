// RegexReader: a cursor over the code points of a pattern, and the errors that name a place in it.
//
// Shared by parser.cc, escape.cc and character_class.cc, so that all errors of a pattern look
// alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xgrammar {

/// Owned by one thread. Positions are 0-based inside and 1-based in messages; both count code
/// points.
class RegexReader {
 public:
  static constexpr uint32_t kEnd = 0xFFFFFFFF;

  /// Raises kGrammarSyntax for ill-formed UTF-8 and for a null character.
  explicit RegexReader(std::string_view pattern);

  bool AtEnd() const { return position_ == text_.size(); }
  /// The character `ahead` places on, or kEnd.
  uint32_t Peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : kEnd;
  }
  uint32_t Next() { return text_[position_++]; }
  bool Accept(uint32_t c);
  /// Accepts all of an ASCII text or nothing.
  bool Accept(std::string_view ascii);
  void Skip(size_t count) { position_ += count; }
  size_t position() const { return position_; }

  /// Malformed pattern: kGrammarSyntax.
  [[noreturn]] void Fail(size_t position, const std::string& message) const;
  /// A construct that is known but not offered: kUnsupported.
  [[noreturn]] void Refuse(size_t position, const std::string& construct,
                           const std::string& hint) const;

 private:
  std::vector<uint32_t> text_;
  size_t position_ = 0;
};

}  // namespace xgrammar
