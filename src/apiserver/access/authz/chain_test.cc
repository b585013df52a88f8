#include "apiserver/access/authz/chain.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

struct Says final : Authorizer {
  Says(Verdict what, bool waiting, int& count)
      : verdict(std::move(what)), waits(waiting), asked(count) {}
  Verdict authorize(const Attributes&) override {
    ++asked;
    return verdict;
  }
  bool may_wait(const Attributes&) const override { return waits; }
  void list_rules(const User&, std::string_view, RuleList&) override {}

  const Verdict verdict;
  const bool waits;
  int& asked;
};

class AuthorizerChainTest : public testing::Test {
 protected:
  AuthorizerChain chain(const std::vector<std::pair<Verdict, bool>>& all) {
    std::vector<std::shared_ptr<Authorizer>> made;
    for (const auto& [verdict, waits] : all) {
      made.push_back(std::make_unique<Says>(verdict, waits, asked_));
    }
    return AuthorizerChain(std::move(made));
  }

  const Verdict yes_{Decision::kAllow, "yes"};
  const Verdict no_{Decision::kDeny, "no"};
  const Verdict none_{Decision::kNoOpinion, "who knows"};
  const User user_{};
  const Attributes attributes_{.user = &user_};
  int asked_ = 0;
};

TEST_F(AuthorizerChainTest, TheFirstWithAnOpinionDecides) {
  EXPECT_TRUE(
      chain({{none_, false}, {yes_, false}, {no_, false}}).authorize(attributes_).allowed());
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(chain({{no_, false}, {yes_, false}}).authorize(attributes_).decision, Decision::kDeny);
}

TEST_F(AuthorizerChainTest, NobodysOpinionIsANo) {
  const Verdict verdict = chain({{none_, false}, {none_, false}}).authorize(attributes_);
  EXPECT_FALSE(verdict.allowed());
  EXPECT_EQ(verdict.reason, "who knows\nwho knows");
  EXPECT_FALSE(chain({}).authorize(attributes_).allowed());
}

TEST_F(AuthorizerChainTest, OnlyThoseBeforeTheOneWhoDecidesMayHoldUp) {
  EXPECT_TRUE(chain({{yes_, false}, {no_, true}}).authorize_now(attributes_)->allowed());
  EXPECT_FALSE(chain({{none_, false}, {yes_, true}}).authorize_now(attributes_).has_value());
  EXPECT_FALSE(chain({{none_, false}}).authorize_now(attributes_)->allowed());
}

}  // namespace
}  // namespace proa::apiserver
