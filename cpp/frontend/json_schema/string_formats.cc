// Most formats are regular expressions built from the productions of their standard; times
// and patterns, whose parts depend on one another, are automata of their own (time_format.h,
// regex_format.h).
//
// Sources: RFC 3339 (dates and times, appendix A for durations), RFC 5321 (mailboxes), RFC 1123
// (host names), RFC 2673 and RFC 4291 (addresses), RFC 3986 and 3987 (URIs and IRIs), RFC 6570
// (templates), RFC 6901 (pointers), RFC 4122.
#include "frontend/json_schema/string_formats.h"

#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "frontend/json_schema/regex_format.h"
#include "frontend/json_schema/string_spelling.h"
#include "frontend/json_schema/time_format.h"
#include "frontend/regex/regex.h"
#include "support/fork_safety.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

using Text = std::string;

Text Group(const Text& body) { return "(?:" + body + ")"; }

// ---- RFC 3339 ----

Text DateRegex() {
  // Leap years: divisible by 4, and by 400 if by 100.
  const Text leap =
      "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
  const Text month31 = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])";
  const Text month30 = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)";
  const Text february = "02-(?:0[1-9]|1[0-9]|2[0-8])";
  return Group(leap + "|[0-9]{4}-" + Group(month31 + "|" + month30 + "|" + february));
}

Text DurationRegex() {
  const Text time = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
  const Text date = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)";
  return Text(1, 'P').append(Group("[0-9]+W|" + date + Group(time) + "?|" + time));
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
  for (int count = 4; count >= 0; --count) {
    out.append(1, '|').append(before(5 - count)).append("::").append(groups(count)).append(ls32);
  }
  out.append(1, '|')
      .append(before(6))
      .append("::")
      .append(h16)
      .append(1, '|')
      .append(before(7))
      .append("::");
  return Group(out);
}

// Octets of a domain name without the lengths of its labels (RFC 1035).
constexpr int64_t kMaxHostnameLength = 253;

Text HostLabel() { return "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?"; }

// Labels of 1 to 63 characters (RFC 1123, RFC 1035); MaxLengthOfFormat bounds the whole. A label
// with hyphens at places 3 and 4 would have to be a valid A-label (RFC 5891), which is not decided
// here: such labels are refused.
Text HostnameRegex() {
  const Text inner = "[A-Za-z0-9\\-]";
  const Text end = "[A-Za-z0-9]";
  const Text third_and_fourth = Group(end + inner + "|-" + end);
  const Text label = end + "(?:" + inner + "{0,2}" + end + "|" + inner + third_and_fourth + inner +
                     "{0,58}" + end + ")?";
  return label + "(?:\\." + label + ")*";
}

// ---- RFC 5321 ----

Text EmailRegex(bool international) {
  const Text wide = international ? "\\u{80}-\\u{10FFFF}" : "";
  const Text atext = "[A-Za-z0-9!#$%&'*+\\-\\/=?^_`{|}~" + wide + "]";
  const Text quoted = "\"(?:[ !#-\\[\\]-~" + wide + "]|\\\\[ -~])*\"";
  const Text local = Group(atext + "+(?:\\." + atext + "+)*|" + quoted);
  const Text label =
      international ? Text(
                          "[A-Za-z0-9\\u{80}-\\u{10FFFF}](?:[A-Za-z0-9\\-\\u{80}-\\u{10FFFF}]{0,61}"
                          "[A-Za-z0-9\\u{80}-\\u{10FFFF}])?")
                    : HostLabel();
  const Text literal = "\\[(?:" + Ipv4Regex() + "|[Ii][Pp][Vv]6:" + Ipv6Regex() + ")\\]";
  return local + "@" + Group(label + "(?:\\." + label + ")*|" + literal);
}

// ---- RFC 3986, RFC 3987 ----

struct UriCharacters {
  Text unreserved, pchar, query;
};

UriCharacters CharactersOf(bool international) {
  const Text ucschar =
      international
          ? "\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{1FFFD}"
            "\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}"
            "\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}"
            "\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{DFFFD}"
            "\\u{E1000}-\\u{EFFFD}"
          : "";
  const Text private_use =
      international ? "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}" : "";
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
  const Text future = "[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:\\-]+";
  const Text host = Group("\\[" + Group(Ipv6Regex() + "|" + future) + "\\]|(?:[" + c.unreserved +
                          "]|" + percent + ")*");
  const Text authority =
      "(?:(?:[" + c.unreserved + ":]|" + percent + ")*@)?" + host + "(?::[0-9]*)?";
  const Text abempty = "(?:\\/" + c.pchar + "*)*";
  const Text rootless = c.pchar + "+" + abempty;
  const Text absolute = "\\/" + Group(rootless) + "?";
  const Text no_colon = "(?:[" + c.unreserved + "@]|" + percent + ")+";
  // A fragment takes no private-use characters; RFC 3987 allows them in queries only.
  const Text fragment = "(?:#(?:[" + c.unreserved + ":@\\/?]|" + percent + ")*)?";
  const Text query = "(?:\\?" + c.query + "*)?";
  Text out = scheme +
             Group("\\/\\/" + authority + abempty + "|" + absolute + "|" + rootless + "|") + query +
             fragment;
  if (allow_relative) {
    out.append(1, '|').append(
        Group("\\/\\/" + authority + abempty + "|" + absolute + "|" + no_colon + abempty + "|"));
    out.append(query).append(fragment);
  }
  return Group(out);
}

Text UriTemplateRegex() {
  const Text percent = "%[0-9A-Fa-f]{2}";
  const Text literal =
      "[!#$&'()*+,\\-.\\/"
      "0-9:;=?@A-Z\\[\\]_a-z~\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}"
      "\\u{10000}-\\u{10FFFD}]|" +
      percent;
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

constexpr size_t kNumFormats = 18;

const std::array<NamedFormat, kNumFormats>& Formats() {
  static constexpr std::array<NamedFormat, kNumFormats> kFormats = {{
      {"date", [] { return DateRegex(); }},
      {"time", nullptr},
      {"date-time", nullptr},
      {"duration", [] { return DurationRegex(); }},
      {"email", [] { return EmailRegex(false); }},
      {"idn-email", [] { return EmailRegex(true); }},
      {"hostname", [] { return HostnameRegex(); }},
      {"ipv4", [] { return Ipv4Regex(); }},
      {"ipv6", [] { return Ipv6Regex(); }},
      {"uuid",
       [] {
         return Text("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}");
       }},
      {"uri", [] { return UriRegex(false, false); }},
      {"uri-reference", [] { return UriRegex(false, true); }},
      {"iri", [] { return UriRegex(true, false); }},
      {"iri-reference", [] { return UriRegex(true, true); }},
      {"uri-template", [] { return UriTemplateRegex(); }},
      {"json-pointer", [] { return Text(kPointer); }},
      {"regex", nullptr},
      {"relative-json-pointer", [] { return Text("(?:0|[1-9][0-9]*)(?:#|") + kPointer + ")"; }},
  }};
  return kFormats;
}

}  // namespace

FormatKind FormatKindOf(std::string_view name) {
  if (name == "regex") return FormatKind::kSubset;
  if (name == "idn-hostname") return FormatKind::kUnsupported;
  for (const NamedFormat& format : Formats()) {
    if (format.name == name) return FormatKind::kRegular;
  }
  return FormatKind::kUnknown;
}

int64_t MaxLengthOfFormat(std::string_view name) {
  return name == "hostname" ? kMaxHostnameLength : kNoMaximum;
}

namespace {

CodePointDfa DecodedFormat(const NamedFormat& format) {
  const Limits
      limits;  // Formats are constants of this library; what a caller allows does not change them.
  RegexOptions options;
  options.dot = RegexOptions::Dot::kNotLineEnd;
  if (format.name == "time") return TimeFormatToDfa();
  if (format.name == "date-time")
    return DateTimeFormatToDfa(RegexToDfa(DateRegex(), options, limits));
  return RegexToDfa(format.regex(), options, limits);
}

FormatAutomata MakeFormat(const NamedFormat& format) {
  FormatAutomata automata;
  if (format.name == "regex") {
    automata.decoded = std::make_shared<const CodePointDfa>(RegexFormatToDfa());
    automata.spelled = std::make_shared<const CodePointDfa>(SpelledRegexFormatToDfa());
    return automata;
  }
  automata.decoded = std::make_shared<const CodePointDfa>(DecodedFormat(format));
  automata.spelled = SpellCanonically(automata.decoded);
  return automata;
}

// Filled on first use, one entry at a time; entries are immutable from then on.
struct FormatLibrary {
  std::array<ForkSafeOnce, kNumFormats> once;
  std::array<FormatAutomata, kNumFormats> automata;
  std::array<std::atomic<const CodePointDfa*>, kNumFormats> made{};
  ForkSafeOnce cover_once;
  CodePointDfaPtr cover;  ///< Of the format `regex`.
};

FormatLibrary& Library() {
  const ForkSection made_whole;
  static FormatLibrary library;
  return library;
}

}  // namespace

const FormatAutomata& AutomataOfFormat(std::string_view name) {
  FormatLibrary& library = Library();
  size_t index = 0;
  while (Formats()[index].name != name) ++index;
  library.once[index].Call([&] {
    // A constant of this library is on nobody's account.
    const WorkPause pause;
    library.automata[index] = MakeFormat(Formats()[index]);
    library.made[index].store(library.automata[index].decoded.get(), std::memory_order_release);
  });
  return library.automata[index];
}

CodePointDfaPtr CoverOfFormat(std::string_view name) {
  if (FormatKindOf(name) != FormatKind::kSubset) return AutomataOfFormat(name).decoded;
  FormatLibrary& library = Library();
  library.cover_once.Call([&] {
    const WorkPause pause;
    library.cover = std::make_shared<const CodePointDfa>(RegexFormatCover());
  });
  return library.cover;
}

CodePointDfaPtr SpelledFormat(const CodePointDfaPtr& decoded) {
  FormatLibrary& library = Library();
  for (size_t i = 0; i < kNumFormats; ++i) {
    if (library.made[i].load(std::memory_order_acquire) == decoded.get())
      return library.automata[i].spelled;
  }
  return nullptr;
}

}  // namespace xgrammar::json_schema
