// Faults of JSON values in Lark are placed in the grammar around them, by line and column, with the
// kind of the fault kept; values may span lines.
//
// What schemas mean is tests/cpp/frontend/json_schema, and the other embedded languages are
// embedded_test.cc.
#include "frontend/lark/json_place.h"

#include <gtest/gtest.h>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

TEST(LarkJson, ValuesSpanLines) {
  ExpectLanguage({"start: %json {\n \"const\": \"}\\\"{\"\n} \"!\"", {"\"}\\\"{\"!"}, {"\"\"!"}});
  ExpectLanguage({"start: %json true", {"1", "[]", "{\"a\":null}"}, {"", "a"}});
}

TEST(LarkJson, FaultsHaveAPlaceInTheGrammar) {
  ExpectLarkError({"start: %json {\n \"a\": é}", 2, 7, "Invalid JSON"});
  ExpectLarkError({"start: %json {\"a\": [", 1, 14, "unterminated JSON value"});
  ExpectLarkError({"start: %json", 1, 13, "unterminated JSON value"});
  ExpectLarkError({"start: %json }", 1, 14, "expected a JSON value"});
  ExpectLarkError({"start: %json {\"type\": \"x\"}", 1, 8, "Unknown type", ErrorKind::kJsonSchema});
}

}  // namespace
}  // namespace xgrammar::lark
