// MaskBuilder: the set of ordinary tokens that may follow a parser set.
//
// Every item of the set contributes on its own. An item inside a folded automaton brings that
// state's local mask, and the tails of tokens that leave it are read on from the set after the
// automaton, by local masks again where they are many. Keys in any order are read by their own
// tree. Items with byte edges walk the token tree through the parser's memo, one byte at a time,
// until they are inside automata again. Nothing is recursive: what remains to be read is a list of
// (set, part of a tree).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mask/dfa_walk.h"
#include "mask/following.h"
#include "mask/length_order.h"
#include "mask/local_mask_builder.h"
#include "mask/local_mask_cache.h"
#include "mask/text_runs.h"
#include "mask/token_mask.h"
#include "parser/item_set.h"
#include "parser/parser.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Owned by one thread at a time. Nothing is kept between builds except scratch memory.
class MaskBuilder {
 public:
  /// `local_masks`, of the tokenizer, must outlive the builder.
  MaskBuilder(const TokenizerInfo& tokenizer, LocalMaskCache* local_masks)
      : tokenizer_(tokenizer),
        local_masks_(*local_masks),
        local_builder_(tokenizer, local_masks->kind_masks(), local_masks->part_sizes()) {}

  /// The mask of a set of the parser. Raises kLimit.
  /// `runs`, of the parser, are used and added to; null: does without.
  std::unique_ptr<const TokenMask> Build(Parser* parser, SetId set, TextRuns* runs = nullptr);
  /// Added to the runs by the last build.
  int64_t bytes_of_runs() const { return bytes_of_runs_; }
  /// Bytes of scratch memory held.
  int64_t ScratchBytes() const;

 private:
  /// Sibling nodes [begin, end) and their subtrees, to be read from a set without some of its items
  /// (Following::covered).
  struct Part {
    SetId set = kDeadSet;
    const TokenTrie* trie = nullptr;
    uint32_t begin = 0;
    uint32_t end = 0;
    ByteSet bytes;  ///< Of the siblings.
    uint64_t covered = 0;
  };

  Part WholeTree(SetId set) const {
    const TokenTrie& trie = tokenizer_.trie();
    return {set, &trie, 0, trie.num_nodes(), ByteSet{trie.BytesOf(0, trie.num_nodes())}};
  }
  /// The tokens that may leave without staying inside.
  Part Outside(const LocalMask& local, uint32_t room);
  void AddLocal(const DfaItem& item);
  /// Adds what stays within a limit that is near, and reads what leaves before it. False, and
  /// nothing is done, where every token has to be read with its count.
  bool AddFitting(const DfaItem& item);
  /// The same for all that is below a large node of the tree of whole tokens.
  bool ReadFittingBelow(const DfaItem& item, const Part& part, const Following& after);
  /// Adds what the local mask, of whole tokens that begin with `before`, takes within the room.
  void TakeFitting(const LocalMask& local, const DfaItem& item, const LengthMeter::Room& room,
                   std::string_view before);
  void AddTokenItems(SetId set);
  /// Reads the tails of one local mask's groups (its own, or its base's) from the set after the
  /// automaton.
  void ReadTails(const LocalMask& local, bool of_base, const CopyBounds& bounds,
                 const Following& after);
  void ReadParts();
  /// Gives up reading parts after very many, if ReadWhole may be used instead.
  void CountPart();
  /// Adds all ordinary tokens that may follow the set, whatever has been read.
  void ReadWhole(SetId set);
  void ReadByAutomaton(const DfaItem& item, const Part& part);
  /// Reads all children of a node of the tree of whole tokens by the local mask of a state of the
  /// item's automaton, if such masks are kept.
  bool ReadByLocal(const DfaItem& item, uint32_t state, const TokenTrie& trie, uint32_t node,
                   const Following& after);
  void ReadByPlainAutomaton(const DfaItem& item, const Part& part, const Following& after);
  /// What may be left at a node, if any of it can follow. `soft`: bytes that also go on without
  /// leaving.
  void DeferChildren(const TokenTrie& trie, uint32_t node, const Following& after,
                     const ByteSet& soft = {});
  /// Reads on from the set after the automaton at every place where a token may leave it.
  void ReadExits(const DfaItem& item, const Part& part, const Following& after);
  void ReadByScan(const Part& part);
  /// The scan items of a set, 64 at most, by the bytes that they read.
  struct ItemsByByte {
    uint32_t round = 0;
    SetId set = kDeadSet;
    std::array<uint64_t, 256> items;
  };
  const ItemsByByte& ItemsOf(SetId set, std::span<const ScanItem> items);
  /// What one item reads from a node on: as long as it is within a text no sets are needed.
  void ReadText(const ScanItem& item, const TokenTrie& trie, uint32_t node);
  void ReadOn(const ScanItem& item, uint32_t target, const TokenTrie& trie, uint32_t node);
  /// The set in which one item alone is read, remembered for the time of one mask.
  const Following& AtState(uint32_t state, ContinuationId continuation);
  /// Walks the tree of keys and the token tree side by side.
  void ReadByKeys(const KeyItem& item, const Part& part);
  void Emit(const TokenTrie& trie, uint32_t node);
  void EmitBelow(const TokenTrie& trie, uint32_t node);
  void Defer(const Part& part);
  /// The number of a tree in this build. `owner`: null if it is not known, or for whole tokens.
  uint32_t NumberOf(const TokenTrie& trie, const LocalMask* owner = nullptr);
  /// Whether texts may be read by runs.
  bool UsesRuns() const {
    return runs_ != nullptr && current_filter_ == 0 && !parser_->has_distinct() &&
           !parser_->has_token_limits();
  }
  /// Where a text of a rule ended within tokens.
  struct TextEnd {
    uint32_t state = 0;  ///< Of the parser.
    ContinuationId continuation = 0;
    const TokenTrie* trie = nullptr;
    uint32_t node = 0;
  };
  void ReadTextEnd(const TextEnd& end);
  static ByteSet BytesBelow(const TextEnd& end);
  /// `alone`: the set of the state without a caller. Null if the tree may not outlive the build.
  std::shared_ptr<const TextRun> MakeRun(const TextEnd& end, const Following& alone);
  void TakeRun(std::shared_ptr<const TextRun> run, const TextEnd& end);
  void SwapRun();
  /// Tokens are met in several ways.
  void TakeDistinct(std::span<const int32_t> ids, std::vector<int32_t>* distinct);
  /// While a run is made: the caller may go on at the siblings.
  void AddRunExits(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteSet& bytes);
  void AddRunExit(const TextRun::Exit& exit);
  /// Ambiguous grammars leave at the same place in many ways.
  void MergeRunExits();
  void AddTextEnd(const TextEnd& end);
  std::unique_ptr<const TokenMask> Finish();

  Parser* parser_ = nullptr;  ///< Of the build.
  const TokenizerInfo& tokenizer_;
  LocalMaskCache& local_masks_;
  LocalMaskBuilder local_builder_;
  std::vector<Part> parts_;
  std::vector<int32_t> ids_;
  std::vector<uint32_t> fitting_;                       ///< Words of tokens; empty: none.
  std::vector<uint32_t> unlimited_;                     ///< Scratch.
  std::vector<TokenMask::Part> locals_;                 ///< Distinct; also keeps their tails alive.
  std::vector<std::shared_ptr<const LocalMask>> read_;  ///< Others whose tails are read.
  struct Tree {
    const TokenTrie* trie = nullptr;
    const LocalMask* owner = nullptr;
  };
  std::vector<Tree> trees_;  ///< Distinct trees of this build, for seen_parts_.
  uint32_t last_tree_ = 0;   ///< Of trees_: the one last asked for.
  SeenItems seen_parts_;
  FollowingSets following_;
  struct StateSet {
    uint32_t round = 0;
    uint32_t state = 0;
    ContinuationId continuation = 0;
    Following following;
  };
  std::array<StateSet, 128> state_sets_;
  std::array<ItemsByByte, 8> items_by_byte_;
  uint32_t round_ = 0;  ///< Of the build; what is of another round is forgotten.
  std::vector<std::pair<SetId, uint64_t>> covered_;  ///< Distinct sets with covered items; a few.
  uint32_t num_filters_ = 0;                         ///< Filtered tails read so far.
  uint32_t current_filter_ =
      0;  ///< Parts seen under one filter are not seen under another. 0: no filter.
  std::vector<int32_t>
      excluded_;  ///< With takes_any_token_: the tokens that no excluding item takes.
  bool takes_any_token_ = false;
  /// Sibling tokens [begin, end) to be read from a state of keys.
  struct KeyPart {
    uint32_t state = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  std::vector<KeyPart> key_parts_;
  /// The same for a state of an Fsm.
  struct TextPart {
    const Fsm::State* state = nullptr;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  std::vector<TextPart> text_parts_;
  DfaWalkStack stack_;
  PlainWalkStack plain_stack_;

  uint32_t num_parts_ = 0;  ///< Of the build, and ends of texts.
  bool gave_up_ = false;    ///< Parts are not read any more: ReadWhole will.

  TextRuns* runs_ = nullptr;
  int64_t bytes_of_runs_ = 0;
  std::vector<TextEnd> text_ends_;  ///< To be read, as parts_ are.
  SeenItems seen_ends_;
  std::vector<std::shared_ptr<const TextRun>> runs_in_use_;
  bool in_run_ = false;
  TextRun run_;                     ///< Being made: its exits.
  std::vector<uint32_t> seen_ids_;  ///< Of TakeDistinct; zero between its calls.
  uint32_t num_runs_made_ = 0;      ///< By the build...
  uint32_t nodes_of_runs_ = 0;      ///< ...and what they were made of.
  uint16_t run_soft_kinds_ = 0;     ///< All bytes of these kinds are soft exits of it.
  size_t num_merged_ = 0;           ///< Of the exits, when they were last merged.
  /// What the build goes on with when the run is made.
  struct Outer {
    std::vector<Part> parts;
    std::vector<TextEnd> text_ends;
    std::vector<int32_t> ids;
    std::vector<TokenMask::Part> locals;
    std::vector<std::shared_ptr<const LocalMask>> read;
    SeenItems seen_parts;
    SeenItems seen_ends;
  };
  Outer outer_;
};

}  // namespace xgrammar
