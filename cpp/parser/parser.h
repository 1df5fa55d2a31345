// Parser: the lazily discovered automaton over Earley sets, shared by all matchers of a grammar.
//
// Earley's algorithm (Earley 1970) with three changes. Sets are interned values with memoised
// transitions, so that a loop of the grammar comes back to the same set id and costs one look-up. A
// rule's origin is not a position but a continuation, the interned list of items that wait for it;
// lists are interned by value, so equal contexts reached by different texts are one. A call in tail
// position passes its caller's continuation on (Leo 1991), so right recursion does not grow.
// Nullable rules are stepped over when they are predicted (Aycock and Horspool 2002).
//
// Thread-safe. Known transitions are read without a lock; finding a new one takes the growth lock
// for that one step. Nothing is freed before the parser is.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grammar/grammar.h"
#include "lowering/fold_to_dfa.h"
#include "lowering/unit_table.h"
#include "parser/earley_set.h"
#include "parser/edge_map.h"
#include "parser/item.h"
#include "parser/item_set.h"
#include "parser/parameters.h"
#include "support/arena.h"
#include "support/byte_account.h"
#include "support/chunked_array.h"
#include "support/fork_safety.h"
#include "support/id_table.h"
#include "support/limits.h"

namespace xgrammar {

class Parser {
 public:
  /// `count_horizon`: how many copies of a repetition one token can pass at most (the bytes of the
  /// longest token). `markers`: texts of special and stop tokens (see UnitTable); must outlive the
  /// parser. `account` (or null) is told of all growth; must outlive the parser. Raises
  /// kUnsatisfiable.
  Parser(GrammarPtr grammar, std::shared_ptr<DfaCache> dfa_cache, const TokenTrie* markers,
         uint32_t count_horizon, const Limits& limits, ByteAccount* account = nullptr);

  SetId start() const { return start_; }
  const EarleySet& set(SetId id) const { return sets_[id]; }

  /// The set after one more byte; kDeadSet if the grammar does not allow it. Raises kLimit.
  SetId Next(SetId set, uint8_t byte) {
    const uint32_t known = edges_.Find(set, byte);
    return known != EdgeMap::kUnknown ? known : Grow(set, byte, Step::kAny);
  }
  /// The same, following scan items only: what Next adds to the automata's own transitions and to
  /// those of keys.
  SetId NextByScan(SetId set, uint8_t byte) {
    if (sets_[set].dfa_items.empty() && sets_[set].key_items.empty()) return Next(set, byte);
    const uint32_t known = scan_edges_.Find(set, byte);
    return known != EdgeMap::kUnknown ? known : Grow(set, byte, Step::kScan);
  }
  /// The set after a byte spelled by a literal of the grammar.
  SetId NextByLiteral(SetId set, uint8_t byte) {
    const bool has_keys = !sets_[set].key_items.empty() && sets_[set].first.Contains(byte);
    if (!has_keys && !sets_[set].scan_first.Contains(byte)) return kDeadSet;
    const uint32_t known = literal_edges_.Find(set, byte);
    return known != EdgeMap::kUnknown ? known : Grow(set, byte, Step::kLiteral);
  }
  /// The set of an item that is in the literal of a part, at another state of its unit.
  SetId AtKey(const KeyItem& item, uint32_t state);
  /// Whether NextByLiteral can read the text of any marker anywhere.
  bool has_marker_literals() const { return has_marker_literals_; }
  /// The set after one whole token by items that take tokens; kDeadSet if there are none.
  /// `named_only`: only items that list the token, not those that exclude others.
  SetId NextByToken(SetId set, int32_t token, bool named_only);
  /// What either set allows.
  SetId Unite(SetId a, SetId b);
  /// The set as it is where a token has ended (grammars with token limits; others get the set
  /// back). `counts`: the token uses up the limits that it began inside of; text that is no token
  /// does not.
  SetId AtTokenEnd(SetId set, bool counts);
  bool has_token_limits() const { return has_token_limits_; }
  /// The set right after the rule that this continuation waits for has ended. Raises kLimit.
  SetId AfterReturn(ContinuationId continuation);

  int64_t num_sets() const { return sets_.size(); }
  int64_t num_edges() const { return edges_.size() + scan_edges_.size() + literal_edges_.size(); }
  int64_t num_automaton_states() const;
  /// Bytes of sets, continuations, edges and automata. Takes no lock.
  int64_t MemorySizeBytes() const { return reported_bytes_.load(std::memory_order_relaxed); }
  std::string DebugString(SetId set) const;
  const Limits& limits() const { return limits_; }

 private:
  struct Continuation {
    std::span<const Item> returns;
    std::span<const Item> settled;  ///< `returns` settled; valid once is_settled.
    bool is_settled = false;
    std::span<const Item> equation;  ///< Of a list that waits for itself: with kSelfContinuation.
    ContinuationId mask_continuation = 0;
    std::atomic<SetId> after{kUnknownSet};
  };
  static constexpr SetId kUnknownSet = 0xFFFFFFFF;

  /// A rule predicted while one set is closed; its continuation gets an id when the closure is
  /// complete.
  struct Prediction {
    UnitId unit = 0;
    std::vector<Item> returns;
  };
  static constexpr uint32_t kLocalBit = 0x80000000;
  static constexpr ContinuationId kSelfContinuation = 0x7FFFFFFF;

  /// Holds the growth lock for one step and tells the account by how much the parser has grown.
  class Growth {
   public:
    explicit Growth(Parser* parser) : parser_(parser), lock_(parser->mutex_) {}
    ~Growth() { parser_->ReportBytes(); }
    Growth(const Growth&) = delete;
    Growth& operator=(const Growth&) = delete;

   private:
    Parser* const parser_;
    const std::lock_guard<ForkSafeMutex> lock_;
  };

  enum class Step : uint8_t { kAny, kScan, kLiteral };

  SetId Grow(SetId set, uint8_t byte, Step step);
  void Scan(const EarleySet& set, uint8_t byte, bool literal_only, std::vector<Item>* out) const;
  void StepKeys(const EarleySet& set, uint8_t byte, bool literal_only,
                std::vector<Item>* out) const;
  uint32_t StartCount(const Unit& unit);
  void StepAutomata(const EarleySet& set, uint8_t byte, std::vector<Item>* out);
  /// What the count of an item in a kLimitedDfa unit stands for, and the count for that.
  LimitCounts UsedLimits(const Unit& unit, uint32_t count) const;
  uint32_t CountOfLimits(const Unit& unit, const LimitCounts& used);
  /// Replaces items that only return or only lead on by what they lead to; sorts and deduplicates.
  void Settle(std::vector<Item>* items);
  void SettleCount(const Unit& unit, const Item& item, std::vector<Item>* settled,
                   std::vector<Item>* work);
  void SettleAnyOrder(const Unit& unit, const Item& item, std::vector<Item>* settled,
                      std::vector<Item>* work);
  void Return(ContinuationId continuation, std::vector<Item>* settled, std::vector<Item>* work);
  SetId InternSet(const std::vector<Item>& kernel);

  void Close(std::span<const Item> kernel);
  void CloseItem(const Item& item);
  void CloseFsmItem(const Unit& unit, const Item& item);
  void CloseAnyOrderItem(const Unit& unit, const Item& item);
  /// The item after one more member.
  Item AfterMember(const Unit& unit, const Item& item, uint32_t part);
  void Call(UnitId unit, const Item& return_item, bool step_over);
  void Complete(uint32_t continuation);
  void Push(const Item& item);
  void ResolvePredictions();
  std::vector<Item> ResolvedReturns(uint32_t prediction) const;
  ContinuationId InternContinuation(std::vector<Item> returns);
  /// Left recursion: a list that waits for itself, given with kSelfContinuation in its own place.
  /// The least solution of such an equation depends on nothing but the equation.
  ContinuationId InternEquation(std::vector<Item> equation);
  ContinuationId AddContinuation(std::span<const Item> returns);
  std::span<const Item> SettledReturns(ContinuationId continuation);
  std::vector<KeyItem> MakeKeyItems(ByteSet* first);
  uint32_t MaskCount(uint32_t state, uint32_t count);
  Item MaskItem(const Item& item);
  SetId MaskSetOf(SetId id, std::span<const Item> kernel);
  void CheckMemory() const;
  void ReportBytes();
  int64_t MemorySizeBytesLocked() const;

  const Limits limits_;
  const uint32_t count_horizon_;
  const std::shared_ptr<DfaCache> dfa_cache_;
  ByteAccount* const account_;
  std::atomic<int64_t> reported_bytes_{0};  // Changed under mutex_ only.

  EdgeMap edges_;
  EdgeMap scan_edges_;
  EdgeMap literal_edges_;
  ChunkedArray<EarleySet> sets_;
  ChunkedArray<Continuation> continuations_;
  SetId start_ = kDeadSet;
  bool has_marker_literals_ = false;
  bool has_token_limits_ = false;

  // Everything below is guarded by mutex_.
  mutable ForkSafeMutex mutex_;
  UnitTable units_;
  IdTable set_index_;
  IdTable continuation_index_;
  Parameters parameters_;
  Arena arena_;

  // Scratch of one closure.
  SeenItems seen_;
  SeenItems settle_seen_;
  std::vector<Item> work_;
  std::vector<Item> dfa_found_;
  std::vector<Item> scan_found_;
  std::vector<Item> key_found_;
  std::vector<Item> token_found_;
  std::vector<Prediction> predictions_;
  std::vector<uint32_t> prediction_ids_;  ///< Continuation of each prediction.
  size_t num_predictions_ = 0;
  std::unordered_map<UnitId, uint32_t> prediction_of_unit_;
  bool accepting_ = false;
  bool at_token_end_ = false;
};

}  // namespace xgrammar
