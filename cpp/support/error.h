// Error: the one exception type of the C++ core, and the kinds a caller can act on.
//
// Front ends, passes and compilers throw; matcher calls return values for ordinary outcomes and
// throw only for misuse. bindings/errors.cc is the only place that turns an Error into a Python
// exception. Text of the user is quoted through QuoteForMessage, which escapes control characters
// and cuts long input.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace xgrammar {

/// What went wrong, by what the caller can do about it. Each kind has one Python class
/// (bindings/errors.cc).
enum class ErrorKind : uint8_t {
  kGrammarSyntax,       ///< Malformed EBNF, regex or other grammar source.
  kInvalidJson,         ///< Text that must be JSON is not.
  kJsonSchema,          ///< A schema keyword is ill-typed, a reference does not resolve, ...
  kUnsatisfiable,       ///< The language is provably empty.
  kUnsupported,         ///< Valid input that this library cannot enforce exactly.
  kStructuralTag,       ///< JSON, but not a valid structural tag.
  kDeserializeFormat,   ///< Serialized text of the right version with wrong content.
  kDeserializeVersion,  ///< Serialized text of another version.
  kLimit,               ///< A field of Limits was exceeded.
  kBudget,              ///< The time or work of one compilation is used up; never caught inside.
  kUsage,               ///< Wrong shape, dtype, index or order of calls (RuntimeError in Python).
  kValue,               ///< An argument value outside its documented range (ValueError in Python).
  kInternal,            ///< A broken invariant of this library.
};

/// Exception with kind, place and advice. Immutable after construction apart from the With...
/// builders.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  /// 1-based position in the source text; columns count code points.
  Error& At(int64_t line, int64_t column);
  /// 1-based code point position in a one-line source such as a regular expression.
  Error& AtPosition(int64_t position);
  /// JSON pointer of the offending schema or format; the empty pointer is the document.
  Error& AtPointer(std::string pointer);
  /// The schema keyword or grammar construct at fault.
  Error& Feature(std::string feature);
  /// Name, value and maximum of the limit that was exceeded.
  Error& Limit(std::string name, int64_t value, int64_t maximum);
  /// What was being done: completes "while ...".
  Error& Stage(std::string stage);
  /// What the user should change.
  Error& Hint(std::string hint);
  /// The whole text, for a language that fixes its form; nothing is composed from then on.
  Error& WholeText(std::string text);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  int64_t line() const { return line_; }          ///< 0 when unknown.
  int64_t column() const { return column_; }      ///< 0 when unknown.
  int64_t position() const { return position_; }  ///< 0 when unknown.
  bool has_pointer() const { return has_pointer_; }
  const std::string& pointer() const { return pointer_; }
  const std::string& feature() const { return feature_; }
  const std::string& limit_name() const { return limit_name_; }
  int64_t limit_value() const { return limit_value_; }
  int64_t limit_maximum() const { return limit_maximum_; }
  const std::string& stage() const { return stage_; }
  const std::string& hint() const { return hint_; }

  /// The whole text: message, place, hint. At most 1 KB.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void ComposeText();

  ErrorKind kind_;
  bool has_pointer_ = false;
  bool has_whole_text_ = false;
  int64_t line_ = 0;
  int64_t column_ = 0;
  int64_t position_ = 0;
  int64_t limit_value_ = 0;
  int64_t limit_maximum_ = 0;
  std::string message_;
  std::string pointer_;
  std::string feature_;
  std::string limit_name_;
  std::string stage_;
  std::string hint_;
  std::string text_;
};

/// User text made safe for a message: control characters escaped, ill-formed UTF-8 replaced, at
/// most `max_bytes` kept.
std::string QuoteForMessage(std::string_view text, size_t max_bytes = 120);

/// Throws a kLimit error that names the field of Limits.
[[noreturn]] void ThrowLimitError(const char* limit_name, int64_t value, int64_t maximum,
                                  const std::string& where = {});

/// Throws a kLimit error for a bound that is no field of Limits. `what`: the sizes compared, as
/// the subject of a sentence.
[[noreturn]] void ThrowFixedLimitError(const std::string& what, int64_t value, int64_t maximum);

}  // namespace xgrammar
