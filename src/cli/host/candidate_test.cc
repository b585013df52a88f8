#include "cli/host/candidate.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

TEST(Candidate, IsUniqueWithoutAStore) {
  SeededRandom random(1);
  const client::Candidate one = unique_candidate(random);
  EXPECT_NE(one.identity, unique_candidate(random).identity);
  EXPECT_FALSE(one.is_gone) << "nothing is known about others";
}

TEST(Candidate, OfAStoreKnowsThatEarlierOnesAreGone) {
  const std::string id = "7d444840-9dc0-11d1-b245-5ffdce74fad2";
  const client::Candidate one = candidate_of_store(id);
  EXPECT_EQ(one.identity, candidate_of_store(id).identity);
  EXPECT_TRUE(one.is_gone("another-host_" + id));
  EXPECT_FALSE(one.is_gone("another-host_8d444840-9dc0-11d1-b245-5ffdce74fad2"));
  EXPECT_FALSE(one.is_gone("kube-scheduler-0_x" + id));
}

}  // namespace
}  // namespace proa::cli
