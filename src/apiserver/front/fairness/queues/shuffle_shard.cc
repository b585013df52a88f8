#include "apiserver/front/fairness/queues/shuffle_shard.h"

#include <cmath>
#include <string>

#include "base/text/seeded_hash.h"

namespace proa::apiserver::fairness {
namespace shuffle_shard {

constexpr int kLargestDeck = 1 << 26;
constexpr double kHashBits = 60;

}  // namespace shuffle_shard

Result<Dealer> Dealer::make(int deck_size, int hand_size) {
  if (deck_size <= 0 || hand_size <= 0 || hand_size > deck_size || hand_size > kLargestHand ||
      deck_size > shuffle_shard::kLargestDeck ||
      std::ceil(std::log2(deck_size) * hand_size) > shuffle_shard::kHashBits) {
    return Status(Reason::kInvalid, "no hand of " + std::to_string(hand_size) + " out of " +
                                        std::to_string(deck_size) + " queues");
  }
  return Dealer(deck_size, hand_size);
}

// The hash is read as a number with digits of bases deck size, deck size - 1, ...: the n-th digit
// says which of the queues that are left comes next.
Dealer::Hand Dealer::deal(uint64_t hash) const {
  Hand hand;
  hand.size = hand_size_;
  std::array<int, kLargestHand> digits{};
  for (int i = 0; i < hand_size_; ++i) {
    const auto left = static_cast<uint64_t>(deck_size_ - i);
    digits[i] = static_cast<int>(hash % left);
    hash /= left;
    int card = digits[i];
    for (int before = i - 1; before >= 0; --before) {
      if (card >= digits[before]) ++card;
    }
    hand.cards[i] = card;
  }
  return hand;
}

uint64_t hash_flow(uint64_t schema, std::string_view distinguisher) {
  // Multiplied, so that a flow has unrelated hands under two schemas.
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (schema * kOdd) ^ seeded_hash(distinguisher);
}

}  // namespace proa::apiserver::fairness
