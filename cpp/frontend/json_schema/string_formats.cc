// Each format is a regular expression built from the productions of its standard, or a product of such.
//
// Sources: RFC 3339 (dates and times, appendix A for durations), RFC 5321 (mailboxes), RFC 1123 (host names), RFC 2673
// and RFC 4291 (addresses), RFC 3986 and 3987 (URIs and IRIs), RFC 6570 (templates), RFC 6901 (pointers), RFC 4122.
#include "frontend/json_schema/string_formats.h"

#include <array>
#include <string>

#include "frontend/regex/regex.h"

namespace xgrammar::json_schema {

namespace {

using Text = std::string;

Text Group(const Text& body) { return "(?:" + body + ")"; }

// ---- RFC 3339 ----

Text DateRegex() {
  // Leap years: divisible by 4, and by 400 if by 100.
  const Text leap = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
  const Text month31 = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])";
  const Text month30 = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)";
  const Text february = "02-(?:0[1-9]|1[0-9]|2[0-8])";
  return Group(leap + "|[0-9]{4}-" + Group(month31 + "|" + month30 + "|" + february));
}

Text TwoDigits(int value) { return std::string{static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)}; }

// A leap second is 23:59:60 in UTC, so the offset fixes the local hour and minute.
Text TimeRegex() {
  const Text hour = "(?:[01][0-9]|2[0-3])";
  const Text minute = "[0-5][0-9]";
  const Text fraction = "(?:\\.[0-9]+)?";
  Text out = hour + ":" + minute + ":[0-5][0-9]" + fraction + Group("[Zz]|[+\\-]" + hour + ":" + minute);
  out += "|23:59:60" + fraction + "[Zz]";
  for (int offset = 0; offset < 24 * 60; ++offset) {
    const int ahead = (23 * 60 + 59 + offset) % (24 * 60);
    const int behind = (23 * 60 + 59 - offset + 24 * 60) % (24 * 60);
    const Text shift = TwoDigits(offset / 60) + ":" + TwoDigits(offset % 60);
    out += "|" + TwoDigits(ahead / 60) + ":" + TwoDigits(ahead % 60) + ":60" + fraction + "\\+" + shift;
    out += "|" + TwoDigits(behind / 60) + ":" + TwoDigits(behind % 60) + ":60" + fraction + "\\-" + shift;
  }
  return Group(out);
}

Text DurationRegex() {
  const Text time = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
  const Text date = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)";
  return "P" + Group("[0-9]+W|" + date + Group(time) + "?|" + time);
}

// ---- Addresses ----

Text Ipv4Regex() {
  const Text octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  return octet + "(?:\\." + octet + "){3}";
}

Text Ipv6Regex() {
  const Text h16 = "[0-9A-Fa-f]{1,4}";
  const Text ls32 = Group(h16 + ":" + h16 + "|" + Ipv4Regex());
  const auto groups = [&](int count) { return "(?:" + h16 + ":){" + std::to_string(count) + "}"; };
  const auto before = [&](int most) {  // Up to `most` groups before "::".
    if (most == 0) return Text();
    return "(?:(?:" + h16 + ":){0," + std::to_string(most - 1) + "}" + h16 + ")?";
  };
  Text out = groups(6) + ls32;
  out += "|::" + groups(5) + ls32;
  for (int count = 4; count >= 0; --count) out += "|" + before(5 - count) + "::" + groups(count) + ls32;
  out += "|" + before(6) + "::" + h16 + "|" + before(7) + "::";
  return Group(out);
}

Text HostLabel() { return "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?"; }

Text HostnameRegex() { return HostLabel() + "(?:\\." + HostLabel() + ")*"; }

// ---- RFC 5321 ----

Text EmailRegex(bool international) {
  const Text wide = international ? "\\u{80}-\\u{10FFFF}" : "";
  const Text atext = "[A-Za-z0-9!#$%&'*+\\-\\/=?^_`{|}~" + wide + "]";
  const Text quoted = "\"(?:[ !#-\\[\\]-~" + wide + "]|\\\\[ -~])*\"";
  const Text local = Group(atext + "+(?:\\." + atext + "+)*|" + quoted);
  const Text label = international
                         ? Text("[A-Za-z0-9\\u{80}-\\u{10FFFF}](?:[A-Za-z0-9\\-\\u{80}-\\u{10FFFF}]{0,61}"
                                "[A-Za-z0-9\\u{80}-\\u{10FFFF}])?")
                         : HostLabel();
  const Text literal = "\\[(?:" + Ipv4Regex() + "|IPv6:" + Ipv6Regex() + ")\\]";
  return local + "@" + Group(label + "(?:\\." + label + ")*|" + literal);
}

// ---- RFC 3986, RFC 3987 ----

struct UriCharacters {
  Text unreserved, pchar, query;
};

UriCharacters CharactersOf(bool international) {
  const Text ucschar = international
                           ? "\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{1FFFD}"
                             "\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}"
                             "\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}"
                             "\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{DFFFD}"
                             "\\u{E1000}-\\u{EFFFD}"
                           : "";
  const Text private_use = international ? "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}" : "";
  const Text percent = "%[0-9A-Fa-f]{2}";
  const Text simple = "A-Za-z0-9._~!$&'()*+,;=\\-" + ucschar;
  UriCharacters out;
  out.unreserved = simple;
  out.pchar = Group("[" + simple + ":@]|" + percent);
  out.query = Group("[" + simple + ":@\\/?" + private_use + "]|" + percent);
  return out;
}

Text UriRegex(bool international, bool allow_relative) {
  const UriCharacters c = CharactersOf(international);
  const Text percent = "%[0-9A-Fa-f]{2}";
  const Text scheme = "[A-Za-z][A-Za-z0-9+.\\-]*:";
  const Text future = "v[0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:\\-]+";
  const Text host = Group("\\[" + Group(Ipv6Regex() + "|" + future) + "\\]|(?:[" + c.unreserved + "]|" + percent + ")*");
  const Text authority = "(?:(?:[" + c.unreserved + ":]|" + percent + ")*@)?" + host + "(?::[0-9]*)?";
  const Text abempty = "(?:\\/" + c.pchar + "*)*";
  const Text rootless = c.pchar + "+" + abempty;
  const Text absolute = "\\/" + Group(rootless) + "?";
  const Text no_colon = "(?:[" + c.unreserved + "@]|" + percent + ")+";
  // A fragment takes no private-use characters; RFC 3987 allows them in queries only.
  const Text fragment = "(?:#(?:[" + c.unreserved + ":@\\/?]|" + percent + ")*)?";
  const Text query = "(?:\\?" + c.query + "*)?";
  Text out = scheme + Group("\\/\\/" + authority + abempty + "|" + absolute + "|" + rootless + "|") + query + fragment;
  if (allow_relative) {
    out += "|" + Group("\\/\\/" + authority + abempty + "|" + absolute + "|" + no_colon + abempty + "|") + query + fragment;
  }
  return Group(out);
}

Text UriTemplateRegex() {
  const Text percent = "%[0-9A-Fa-f]{2}";
  const Text literal =
      "[!#$&()*+,\\-.\\/0-9:;=?@A-Z\\[\\]_a-z~\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}"
      "\\u{10000}-\\u{10FFFD}]|" + percent;
  const Text varchar = Group("[A-Za-z0-9_]|" + percent);
  const Text name = varchar + "(?:\\.?" + varchar + ")*";
  const Text variable = name + "(?::[1-9][0-9]{0,3}|\\*)?";
  return "(?:" + literal + "|\\{[+#.\\/;?&]?" + variable + "(?:," + variable + ")*\\})*";
}

struct NamedFormat {
  std::string_view name;
  Text (*regex)();
};

constexpr const char* kPointer = "(?:\\/(?:[^~\\/]|~[01])*)*";

const std::array<NamedFormat, 17>& Formats() {
  static const std::array<NamedFormat, 17> kFormats = {{
      {"date", [] { return DateRegex(); }},
      {"time", [] { return TimeRegex(); }},
      {"date-time", [] { return DateRegex() + "[Tt]" + TimeRegex(); }},
      {"duration", [] { return DurationRegex(); }},
      {"email", [] { return EmailRegex(false); }},
      {"idn-email", [] { return EmailRegex(true); }},
      {"hostname", [] { return HostnameRegex(); }},
      {"ipv4", [] { return Ipv4Regex(); }},
      {"ipv6", [] { return Ipv6Regex(); }},
      {"uuid", [] { return Text("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"); }},
      {"uri", [] { return UriRegex(false, false); }},
      {"uri-reference", [] { return UriRegex(false, true); }},
      {"iri", [] { return UriRegex(true, false); }},
      {"iri-reference", [] { return UriRegex(true, true); }},
      {"uri-template", [] { return UriTemplateRegex(); }},
      {"json-pointer", [] { return Text(kPointer); }},
      {"relative-json-pointer", [] { return Text("(?:0|[1-9][0-9]*)(?:#|") + kPointer + ")"; }},
  }};
  return kFormats;
}

}  // namespace

FormatKind FormatKindOf(std::string_view name) {
  if (name == "regex" || name == "idn-hostname") return FormatKind::kUnsupported;
  for (const NamedFormat& format : Formats()) {
    if (format.name == name) return FormatKind::kRegular;
  }
  return FormatKind::kUnknown;
}

CodePointDfa FormatToDfa(std::string_view name, const Limits& limits) {
  RegexOptions options;
  options.dot = RegexOptions::Dot::kNotLineEnd;
  for (const NamedFormat& format : Formats()) {
    if (format.name != name) continue;
    const CodePointDfa dfa = RegexToDfa(format.regex(), options, limits);
    if (name != "hostname") return dfa;
    constexpr int64_t kMaxHostname = 253;  // RFC 1035, as presentation text without a trailing dot.
    return Minimize(Intersect(dfa, LengthRange(1, kMaxHostname, limits.max_dfa_states), limits.max_dfa_states));
  }
  return CodePointDfa(std::vector<CodePointDfa::State>(1));
}

}  // namespace xgrammar::json_schema
