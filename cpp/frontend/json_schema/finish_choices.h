// ChoiceResolver: the choices of an object branch in terms of the members and cells of its spec.
//
// Part of the merging stage, used where complements of objects would multiply (merge.cc). Choices
// are clauses in the sense of propositional logic; those with one way left become part of the
// members, over and over, which is unit propagation (Dowling and Gallier 1984). How the others are
// written is convert_choices.cc.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/json_schema/branch.h"
#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

/// Borrows everything.
class ChoiceResolver {
 public:
  struct WayKeys {
    CodePointDfaPtr keys;
    int32_t pattern = -1;  ///< Its number among those that cells match, or -1.
  };
  /// Of ways about some member. None for `additionalProperties` of objects without free keys.
  using KeysByWay = std::unordered_map<const MemberWay*, WayKeys>;

  /// `cell_matches`: for each cell, which patterns its keys match.
  ChoiceResolver(Merger* merger, ObjectSpec* spec, const KeysByWay& keys,
                 const std::vector<std::vector<bool>>& cell_matches)
      : merger_(*merger), spec_(*spec), keys_(keys), cell_matches_(cell_matches) {}

  /// Adds the choices to the spec. False if one cannot be met.
  bool Resolve(std::vector<const MemberChoice*> open);

 private:
  // Ways that are possible; whether the choice is met without taking any.
  struct Ways {
    ObjectChoice choice;
    bool is_met = false;
  };

  Ways WaysOf(const MemberChoice& choice);
  void AddNamed(const MemberWay& way, Ways* out);
  void AddSome(const MemberWay& way, Ways* out);
  void AddMember(size_t index, const Literal* literal, bool or_absent, Ways* out);
  bool SpeaksOf(const MemberWay& way, std::string_view name);
  bool TakeOnly(const ObjectChoice::Way& way);
  void DropAbsent();
  bool IsImpossible(LocationId location, const Literal& literal);

  Merger& merger_;
  ObjectSpec& spec_;
  const KeysByWay& keys_;
  const std::vector<std::vector<bool>>& cell_matches_;
};

}  // namespace xgrammar::json_schema
