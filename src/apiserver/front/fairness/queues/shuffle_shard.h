#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace proa::apiserver::fairness {

// Deals each flow a hand of queues. Two flows have a queue in common now and then, but hardly ever
// all of them: a greedy flow fills its own hand, and others find a free queue in theirs.
class Dealer {
 public:
  // 60 bits of a hash suffice for hands of at most 15 different queues out of 16.
  static constexpr int kLargestHand = 15;

  // Fails as upstream if the sizes are not positive, the hand is larger than the deck, or a hash
  // has too few bits for them.
  static Result<Dealer> make(int deck_size, int hand_size);

  // Different queues, in [0, deck size), as upstream deals them.
  struct Hand {
    std::array<int, kLargestHand> cards;
    int size = 0;
    std::span<const int> all() const { return {cards.data(), static_cast<size_t>(size)}; }
  };
  Hand deal(uint64_t hash) const;

 private:
  Dealer(int deck_size, int hand_size) : deck_size_(deck_size), hand_size_(hand_size) {}
  int deck_size_;
  int hand_size_;
};

// Of a flow, from the hash of its schema's name. Seeded, other than upstream's: nobody can choose
// names that share a hand with another user.
uint64_t hash_flow(uint64_t schema, std::string_view distinguisher);

}  // namespace proa::apiserver::fairness
