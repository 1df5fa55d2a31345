// Bounds of number constraints, and keys by which equal branches are recognised.
//
// A key spells all that tells two specs apart, so the converter writes equal containers once.
// Collecting what a branch holds is merge.cc and constraints.cc.
#include "frontend/json_schema/branch.h"

namespace xgrammar::json_schema {

namespace {

void AppendBound(const std::optional<NumberBound>& bound, std::string* out) {
  if (bound) {
    out->push_back(bound->exclusive ? 'x' : 'i');
    out->append(bound->value.CanonicalKey());
  }
  *out += ';';
}

void AppendDecimals(const std::vector<Decimal>& values, std::string* out) {
  for (const Decimal& value : values) *out += value.CanonicalKey() + ",";
  *out += ';';
}

void AppendNumber(int64_t value, std::string* out) {
  *out += std::to_string(value);
  *out += ',';
}

}  // namespace

bool NumberConstraint::IsPlainlyEmpty() const {
  if (integer && non_integer) return true;
  if (!lower || !upper) return false;
  if (integer) {
    Decimal first = lower->value.Ceil();
    Decimal last = upper->value.Floor();
    if (lower->exclusive && lower->value.IsInteger()) first = first.Successor();
    if (upper->exclusive && upper->value.IsInteger()) last = last.Predecessor();
    return first.Compare(last) > 0;
  }
  const int order = lower->value.Compare(upper->value);
  return order > 0 || (order == 0 && (lower->exclusive || upper->exclusive));
}

void NumberConstraint::RaiseLower(const NumberBound& bound) {
  const int order = lower ? bound.value.Compare(lower->value) : 1;
  if (order > 0 || (order == 0 && bound.exclusive)) lower = bound;
}

void NumberConstraint::LowerUpper(const NumberBound& bound) {
  const int order = upper ? bound.value.Compare(upper->value) : -1;
  if (order < 0 || (order == 0 && bound.exclusive)) upper = bound;
}

std::string NumberConstraint::Key() const {
  std::string out = integer ? "i" : "n";
  if (non_integer) out += '!';
  AppendBound(lower, &out);
  AppendBound(upper, &out);
  AppendDecimals(multiples, &out);
  AppendDecimals(not_multiples, &out);
  AppendDecimals(excluded, &out);
  return out;
}

size_t Branch::Size() const {
  return number.excluded.size() + number.not_multiples.size() + string.atoms.size() +
         string.excluded.size() + array.groups.size() + array.item_literals.size() +
         array.clauses.size() + object.groups.size() + object.required.size() +
         object.demanded.size() + object.required_anywhere.size() + object.forbidden.size() +
         object.member_literals.size() + object.name_literals.size() + object.clauses.size() +
         object.choices.size();
}

std::string StringConstraint::Key() const {
  std::string out = "s";
  AppendNumber(length.min, &out);
  AppendNumber(length.max, &out);
  for (const StringAtom& atom : atoms) {
    AppendNumber(atom.text, &out);
    out += atom.is_format ? 'f' : 'p';
    out += atom.negated ? '-' : '+';
  }
  for (const std::string_view text : excluded) {
    AppendNumber(static_cast<int64_t>(text.size()), &out);
    out += text;
  }
  return out;
}

std::string ArraySpec::Key() const {
  std::string out = unique ? "u" : repeated ? "r" : "a";
  for (const LocationId item : prefix) AppendNumber(item, &out);
  out += ';';
  AppendNumber(rest, &out);
  AppendNumber(count.min, &out);
  AppendNumber(count.max, &out);
  for (const ItemClause& clause : clauses) {
    AppendNumber(clause.literal.id, &out);
    AppendNumber(static_cast<int64_t>(clause.literal.kind), &out);
    AppendNumber(clause.first, &out);
    AppendNumber(clause.count.min, &out);
    AppendNumber(clause.count.max, &out);
    for (const Literal& literal : clause.more) {
      AppendNumber(literal.id, &out);
      AppendNumber(static_cast<int64_t>(literal.kind), &out);
    }
    out += ';';
  }
  out += ';';
  for (const UncountedItems& items : uncounted) {
    AppendNumber(items.literal.id, &out);
    AppendNumber(static_cast<int64_t>(items.literal.kind), &out);
    AppendNumber(items.first, &out);
    AppendNumber(items.clauses, &out);
  }
  return out;
}

std::string ObjectSpec::Key() const {
  std::string out = "o";
  for (const ObjectMember& member : members) {
    AppendNumber(static_cast<int64_t>(member.name.size()), &out);
    out += member.name;
    out += member.required ? '!' : '?';
    AppendNumber(member.value, &out);
  }
  out += ';';
  for (const std::string_view name : closed_names) {
    AppendNumber(static_cast<int64_t>(name.size()), &out);
    out += name;
  }
  out += ';';
  for (const FreeCell& cell : cells) {
    AppendNumber(static_cast<int64_t>(reinterpret_cast<uintptr_t>(cell.keys.get())), &out);
    AppendNumber(cell.value, &out);
    AppendNumber(static_cast<int64_t>(cell.origin), &out);
    out += cell.format;
  }
  out += ';';
  for (const FreeClause& clause : clauses) {
    AppendNumber(clause.literal.id, &out);
    AppendNumber(static_cast<int64_t>(clause.literal.kind), &out);
  }
  for (const ObjectChoice& choice : choices) {
    out += 'o';
    for (const ObjectChoice::Way& way : choice.ways) {
      AppendNumber(static_cast<int64_t>(way.kind), &out);
      AppendNumber(way.index, &out);
      AppendNumber(way.literal.id, &out);
      AppendNumber(static_cast<int64_t>(way.literal.kind), &out);
    }
  }
  AppendNumber(count.min, &out);
  AppendNumber(count.max, &out);
  return out;
}

}  // namespace xgrammar::json_schema
