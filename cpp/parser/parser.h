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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"
#include "lowering/fold_to_dfa.h"
#include "lowering/unit_table.h"
#include "parser/distinct_places.h"
#include "parser/distinct_values.h"
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
  /// The set after several bytes; new transitions take the growth lock together.
  SetId NextText(SetId set, std::string_view bytes);
  /// What Next adds, by scan items, to the transitions of automata and of keys.
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
  /// The set in which one item alone is read. Raises kLimit.
  SetId AtState(uint32_t state, ContinuationId continuation, uint32_t count);
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
  bool has_distinct() const { return has_distinct_; }
  /// The bytes that lead on; EarleySet::first with those left out that an equal item forbids.
  ByteSet LiveBytes(SetId set);
  /// The byte that alone leads on, or -1.
  int32_t OnlyByte(SetId set);
  /// Bytes after which an equal item may refuse a text that spells no two items that begin in it.
  ByteSet BytesTowardsEqual(SetId set);
  /// Whether all items that come later in lists being read are of endless variety; false: unknown.
  struct ItemVariety {
    bool is_endless = true;
    bool has_endless_strings = true;  ///< And the beginning of every string leads to endless ones.
  };
  ItemVariety VarietyOfItems(SetId set);
  /// If the text of the item being read is an open string that may go on to endless others: how
  /// those of the list go on from here that begin like it, spelled without escapes and with the
  /// quote at the end; up to the first character that only an escape can spell.
  std::optional<std::vector<std::string>> TakenStrings(SetId set);
  /// Of an item being read that is compared with one list, and with nothing around it.
  std::optional<ItemText> TextOfItem(SetId set);
  /// Of a set that does not compare: bytes that are read inside such an item; perhaps not all.
  ByteSet BytesInsideItem(SetId set);
  /// Whether the text of the item being read is within a string.
  bool IsInString(SetId set);
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
  SetId GrowLocked(SetId set, uint8_t byte, Step step);
  void Scan(const EarleySet& set, uint8_t byte, bool literal_only, std::vector<Item>* out) const;
  void StepKeys(const EarleySet& set, uint8_t byte, bool literal_only,
                std::vector<Item>* out) const;
  uint32_t StartCount(const Unit& unit);
  void StepAutomata(const EarleySet& set, uint8_t byte, std::vector<Item>* out);
  /// What the count of an item in a kLimitedDfa unit stands for, and the count for that.
  LimitCounts UsedLimits(const Unit& unit, uint32_t count) const;
  uint32_t CountOfLimits(const Unit& unit, const LimitCounts& used);
  /// Whether the item reads a byte, a token or a call next, so that a kernel keeps it.
  bool IsSettled(const Item& item) const;
  /// Replaces items that only return or only lead on by what they lead to; sorts and deduplicates.
  void Settle(std::vector<Item>* items);
  void SettleCount(const Unit& unit, const Item& item, std::vector<Item>* settled,
                   std::vector<Item>* work);
  void SettleAnyOrder(const Unit& unit, const Item& item, std::vector<Item>* settled,
                      std::vector<Item>* work);
  void SettleDistinct(const Unit& unit, const Item& item, std::vector<Item>* settled,
                      std::vector<Item>* work);
  void Return(ContinuationId continuation, std::vector<Item>* settled, std::vector<Item>* work);
  SetId InternSet(const std::vector<Item>& kernel, uint32_t record);

  void Close(std::span<const Item> kernel);
  void CloseItem(const Item& item);
  void CloseFsmItem(const Unit& unit, const Item& item);
  void CloseAnyOrderItem(const Unit& unit, const Item& item);
  void CloseDistinctItem(const Unit& unit, const Item& item);
  /// The item after one more member.
  Item AfterMember(const Unit& unit, const Item& item, uint32_t part);
  void Call(UnitId unit, const Item& return_item, bool step_over);
  void Complete(uint32_t continuation);
  void Push(const Item& item);
  void ResolvePredictions();
  /// Those that wait for a predicted rule, with the ids of their continuations; valid until the
  /// next call.
  std::vector<Item>* ResolvedReturns(uint32_t prediction);
  /// `returns` is sorted and used up.
  ContinuationId InternContinuation(std::vector<Item>* returns);
  /// Left recursion: a list that waits for itself, given with kSelfContinuation in its own place.
  /// The least solution of such an equation depends on nothing but the equation.
  ContinuationId InternEquation(std::vector<Item>* list);
  ContinuationId AddContinuation(std::span<const Item> returns);
  std::span<const Item> SettledReturns(ContinuationId continuation);
  /// Ids instead of the numbers of predictions.
  ContinuationId Resolved(uint32_t continuation) const {
    return (continuation & kLocalBit) != 0 ? prediction_ids_[continuation & ~kLocalBit]
                                           : continuation;
  }
  void FindDfaItems(ByteSet* first);
  void FindScanItems(ByteSet* first);
  void FindKeyItems(ByteSet* first);
  void FindTokenItems();
  uint32_t MaskCount(uint32_t state, uint32_t count);
  Item MaskItem(const Item& item);
  SetId MaskSetOf(SetId id, std::span<const Item> kernel);

  // distinct.cc, distinct_search.cc
  using Chain = DistinctChain;
  uint32_t NoRecord() const { return has_distinct_ ? DistinctValues::kUnchecked : 0; }
  uint32_t RecordAfter(SetId set, uint8_t byte);
  bool ComparesAny(std::span<const Item> kernel, uint32_t record);
  int64_t DistinctBytes() const;
  ItemVariety VarietyOf(UnitId item);
  /// Whether one byte leads from the set to a loop on itself.
  bool LoopsOn(SetId set, uint8_t byte);
  /// Whether endless different values go on from the set; false if the first places do not show it.
  bool LeadsToEndless(SetId start);
  /// The only comparison that waits, if it waits for a string that can become endless others from
  /// every place within it: what such a string has become so far need not be compared.
  const Item* EndlessString(const Chain& chain, uint32_t record);
  template <typename Comparison>
  std::optional<DistinctSeen> OnlyComparison(SetId set, Comparison comparison);
  /// The set in which an item alone begins.
  SetId AtItem(UnitId item);
  SetId NextLocked(SetId set, uint8_t byte);
  /// Replaces an item that has returned by the one after it; false if it equals another.
  bool Compare(const Unit& unit, Item* item);
  /// Drops items that no text leads to an end from, and interns what is left.
  SetId InternLive(std::vector<Item>* kernel, uint32_t record, SetId before = kDeadSet);
  bool IsAlive(const Item& item, uint32_t record);
  /// Whether a byte leads on that is neither in `near` nor white space between values.
  bool LeadsElsewhere(SetId from, uint32_t record, const ByteSet& near);
  /// Whether a text that begins with `text` and spells none of the values leads to an end. Raises
  /// kLimit.
  bool SearchOtherValue(SetId from, std::string text, const std::vector<uint32_t>& near);
  /// Whether a byte or the end leads to another value; else adds the places after all bytes.
  bool LeavesNear(const SearchPlace& place, std::vector<SearchPlace>* next);
  /// For the text of the record from `begin` on.
  const NearList& NearValues(uint32_t record, uint32_t list, uint32_t begin);
  const Chain& ChainOf(ContinuationId continuation);
  void AddToChain(const Item& item, Chain* chain) const;
  /// The continuation up to the comparison that `target` is, which becomes the end; kNoCut if it
  /// does not lead there.
  ContinuationId Cut(ContinuationId continuation, const Item& target);
  static constexpr ContinuationId kNoCut = 0xFFFFFFFF;

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
  bool has_distinct_ = false;

  // Everything below is guarded by mutex_.
  mutable ForkSafeMutex mutex_;
  UnitTable units_;
  IdTable set_index_;
  IdTable continuation_index_;
  Parameters parameters_;
  Arena arena_;
  DistinctValues values_;
  std::unordered_map<ContinuationId, Chain> chains_;
  std::unordered_map<UnitId, ItemVariety> varieties_;
  std::unordered_map<CutKey, ContinuationId, CutHash> cuts_;
  std::unordered_map<CutKey, NearList, CutHash> near_values_;
  size_t num_near_ = 0;  ///< In all of them.
  uint32_t record_ = 0;  ///< Of the set whose items are settled or closed.
  bool compares_now_ = true;
  int32_t num_searches_ = 0;  ///< One inside the other.

  // Scratch of one step.
  std::vector<Item> kernel_;
  std::vector<Item> settle_work_;
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
  /// By unit: the closure it was last predicted in, and its prediction there.
  struct PredictionOfUnit {
    uint32_t closure = 0;
    uint32_t prediction = 0;
  };
  std::vector<PredictionOfUnit> prediction_of_unit_;
  uint32_t closure_ = 0;
  // Scratch of resolving the predictions of one closure (see ResolvePredictions).
  struct Waiting {
    uint32_t missing = 0;    ///< Mentions of predictions without a continuation yet.
    uint32_t first_use = 0;  ///< Mentions of this one: uses_, 0 ends.
    bool is_mentioned_by_itself = false;
    bool is_done = false;
  };
  struct Use {
    uint32_t user = 0;
    uint32_t next = 0;
  };
  std::vector<Waiting> waiting_;
  std::vector<Use> uses_;
  std::vector<uint32_t> ready_;
  std::vector<Item> returns_;
  // Scratch of one new set.
  std::vector<DfaItem> dfa_items_;
  std::vector<ScanItem> scan_items_;
  std::vector<KeyItem> key_items_;
  std::vector<TokenItem> token_items_;
  bool accepting_ = false;
  bool compares_ = false;
  bool begins_list_ = false;
  bool at_token_end_ = false;
};

}  // namespace xgrammar
