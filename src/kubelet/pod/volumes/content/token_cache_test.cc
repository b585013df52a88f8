#include "kubelet/pod/volumes/content/token_cache.h"

#include "testkit/fake_clock.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class Tokens : public ::testing::Test {
 protected:
  testkit::FakeClock clock_;
  int asked_ = 0;
  bool failing_ = false;
  PodPtr pod_ = testing::make_pod(R"({"serviceAccountName":"sa"})");
  TokenCache cache_{
      clock_, [this](const Pod&, const std::string& audience, int64_t life) -> Result<BoundToken> {
        if (failing_) return Status(Reason::kServiceUnavailable, "away");
        return BoundToken{.token = audience + std::to_string(++asked_),
                          .expires = clock_.now() + seconds(life)};
      }};
};

TEST_F(Tokens, AreRenewedAfterFourFifthsOfTheirLifeOrADay) {
  struct Case {
    int64_t life;
    Duration good;  // up to ten seconds earlier
  };
  for (const Case& c : {Case{3600, seconds(2880)}, Case{600, seconds(480)},
                        Case{7 * 24 * 3600, hours(24)}, Case{24 * 3600, seconds(69120)}}) {
    SCOPED_TRACE(c.life);
    const std::string first = *cache_.get(*pod_, "a", c.life);
    clock_.advance(c.good - seconds(11));
    EXPECT_EQ(*cache_.get(*pod_, "a", c.life), first);
    clock_.advance(seconds(12));
    EXPECT_NE(*cache_.get(*pod_, "a", c.life), first);
    cache_.forget(pod_->uid());
  }
}

TEST_F(Tokens, AreOnesOwnForEachAudienceAndLife) {
  EXPECT_EQ(*cache_.get(*pod_, "a", 3600), "a1");
  EXPECT_EQ(*cache_.get(*pod_, "b", 3600), "b2");
  EXPECT_EQ(*cache_.get(*pod_, "a", 7200), "a3");
  EXPECT_EQ(*cache_.get(*pod_, "a", 3600), "a1");
}

TEST_F(Tokens, StayInUseWhileNoNewOneIsToBeHad) {
  EXPECT_EQ(*cache_.get(*pod_, "a", 3600), "a1");
  failing_ = true;
  clock_.advance(minutes(50));
  EXPECT_EQ(*cache_.get(*pod_, "a", 3600), "a1");
  EXPECT_EQ(cache_.next_refresh(pod_->uid()), clock_.now() + minutes(1));
  clock_.advance(minutes(11));
  EXPECT_EQ(cache_.get(*pod_, "a", 3600).status().message(),
            "token of service account shop/sa expired and refresh failed: away");
  EXPECT_EQ(cache_.get(*pod_, "b", 3600).status().message(), "failed to fetch token: away");
}

TEST_F(Tokens, TellWhenTheFirstOfAPodIsDue) {
  EXPECT_EQ(cache_.next_refresh(pod_->uid()), Time::max());
  ASSERT_TRUE(cache_.get(*pod_, "b", 7200).ok());
  ASSERT_TRUE(cache_.get(*pod_, "a", 3600).ok());
  const Time due = clock_.now() + seconds(2880);
  EXPECT_LE(cache_.next_refresh(pod_->uid()), due);
  EXPECT_GE(cache_.next_refresh(pod_->uid()), due - seconds(10));
  EXPECT_EQ(cache_.next_refresh(api::UidView("uid-0")), Time::max());
  cache_.forget(pod_->uid());
  EXPECT_EQ(cache_.next_refresh(pod_->uid()), Time::max());
}

}  // namespace
}  // namespace proa::kubelet
