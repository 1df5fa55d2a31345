// FsmWriter: the expression of a unit -> its Fsm, by Thompson's construction (1968) with calls.
//
// Literals and small classes become byte edges, references become calls, regular parts with loops
// become units of their own. Alternatives that begin with literals share a prefix tree, so that
// thousands of literals are one branch a byte.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "lowering/unit_table.h"

namespace xgrammar {

class FsmWriter {
 public:
  explicit FsmWriter(UnitTable* table) : table_(*table), grammar_(*table->grammar_) {}

  Fsm Write(const Unit& unit);

 private:
  /// A literal prefix of an alternative and the expression parts after it.
  struct LiteralBranch {
    std::string_view bytes;
    ExprId expr = kNoExpr;
    bool has_rest = false;
  };

  /// Lead bytes of some characters, and the state after them.
  struct LeadBytes {
    uint8_t lo = 0;
    uint8_t hi = 0;
    uint32_t target = 0;
  };

  void WriteExpr(ExprId expr, uint32_t from, uint32_t to);
  /// `skip` leading children of a sequence are left out.
  void WriteSequence(ExprId expr, size_t skip, uint32_t from, uint32_t to);
  void WriteChoices(ExprId expr, uint32_t from, uint32_t to);
  void WriteLiteralTree(std::vector<LiteralBranch> branches, uint32_t from, uint32_t to);
  void WriteRepeat(ExprId expr, uint32_t from, uint32_t to);
  void WriteLiteral(std::string_view bytes, uint32_t from, uint32_t to);
  void WriteClass(ExprId expr, uint32_t from, uint32_t to);
  void WriteRuleRef(ExprId expr, uint32_t from, uint32_t to);
  void WriteAutomaton(const CodePointDfa& dfa, uint32_t from, uint32_t to);
  /// The states of characters of several bytes up to `to`, without the state before them.
  std::vector<LeadBytes> WriteWideRange(const CodePointRange& range, uint32_t to);
  void WriteUnitCall(ExprId expr, uint32_t from, uint32_t to);
  bool IsSmallInline(ExprId expr) const;

  UnitTable& table_;
  const Grammar& grammar_;
  FsmBuilder fsm_;
  ExprId unit_expr_ = kNoExpr;
  RuleKind unit_kind_ = RuleKind::kAuto;
};

}  // namespace xgrammar
