#include "dns/forward/cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/dns/messages.h"
#include "testkit/fake_clock.h"

namespace proa::dns {
namespace {

using std::chrono::seconds;
using testkit::bytes_of;
using testkit::client_query;
using testkit::TestReply;
using testkit::text_of;

class CacheTest : public testing::Test {
 protected:
  void put(std::string_view name, uint32_t ttl) {
    const std::string bytes = TestReply(0, name, Type::kA).address(name, "10.0.0.1").bytes();
    cache.put(client_query(name),
              {Answer::Kind::kPositive, Rcode::kNoError, bytes_of(bytes), ttl, false});
  }
  void put_negative(std::string_view name, uint32_t ttl) {
    const std::string bytes = TestReply(0, name, Type::kA).soa("example").bytes(Rcode::kNameError);
    cache.put(client_query(name),
              {Answer::Kind::kNegative, Rcode::kNameError, bytes_of(bytes), ttl, false});
  }
  void put_failure(std::string_view name) {
    const Query query = client_query(name);
    cache.put(query, failed_answer(query.question, Rcode::kServerFailure));
  }
  std::string find(std::string_view name) {
    last = cache.find(client_query(name), out);
    return last.size == 0 ? "none" : text_of({out.data(), last.size});
  }
  std::string find_stale(std::string_view name) {
    last = cache.find_stale(client_query(name), out);
    return last.size == 0 ? "none" : text_of({out.data(), last.size});
  }

  testkit::FakeClock clock;
  Cache cache{clock, 99, {}};
  std::vector<uint8_t> out = std::vector<uint8_t>(512);
  Cache::Hit last;
};

TEST_F(CacheTest, CanBeEmptied) {
  put("a.example", 20);
  put("b.example", 20);
  find("b.example");  // in use
  put_negative("c.example", 20);
  put_failure("d.example");
  cache.clear();
  for (const char* name : {"a.example", "b.example", "c.example", "d.example"}) {
    EXPECT_EQ(find(name), "none");
    EXPECT_EQ(find_stale(name), "none");
  }
  EXPECT_EQ(cache.size().bytes, 0U);
  EXPECT_EQ(cache.size().positive + cache.size().negative, 0U);
  put("a.example", 20);
  EXPECT_NE(find("a.example"), "none");
}

TEST_F(CacheTest, KeepsAnAnswerForItsTime) {
  EXPECT_EQ(find("a.example"), "none");
  put("a.example", 20);
  clock.advance(seconds(5));
  EXPECT_EQ(find("A.example"), "NOERROR; A.example. A; A.example. 15 A 10.0.0.1");
  EXPECT_FALSE(last.negative);
  clock.advance(seconds(15));
  EXPECT_EQ(find("a.example"), "none");
}

TEST_F(CacheTest, BoundsTheTimes) {
  const struct {
    uint32_t ttl;
    seconds kept;
  } cases[] = {{0, seconds(5)}, {3, seconds(5)}, {29, seconds(29)}, {86400, seconds(30)}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.ttl);
    put("a.example", c.ttl);
    put_negative("n.example", c.ttl);
    clock.advance(c.kept - seconds(1));
    EXPECT_EQ(find("a.example"), "NOERROR; a.example. A; a.example. 1 A 10.0.0.1");
    EXPECT_EQ(find("n.example"), "NXDOMAIN; n.example. A; example. 1 SOA ns.example.");
    EXPECT_TRUE(last.negative);
    clock.advance(seconds(1));
    EXPECT_EQ(find("a.example"), "none");
    EXPECT_EQ(find("n.example"), "none");
  }
}

TEST_F(CacheTest, TellsQueriesForSignaturesApart) {
  put("a.example", 20);
  Query query = client_query("a.example");
  query.dnssec_ok = true;
  EXPECT_EQ(cache.find(query, out).size, 0u);
  query.dnssec_ok = false;
  query.checking_disabled = true;
  EXPECT_EQ(cache.find(query, out).size, 0u);
}

TEST_F(CacheTest, HasStaleAnswersForWhenUpstreamsFail) {
  put("a.example", 20);
  clock.advance(seconds(100));
  EXPECT_EQ(find("a.example"), "none");
  EXPECT_TRUE(cache.has_stale(client_query("a.example")));
  // A failure does not replace it.
  put_failure("a.example");
  EXPECT_EQ(find_stale("a.example"), "NOERROR; a.example. A; a.example. 0 A 10.0.0.1");
  EXPECT_TRUE(last.stale);
  // For some seconds nobody asks again.
  clock.advance(seconds(4));
  EXPECT_EQ(find("a.example"), "NOERROR; a.example. A; a.example. 0 A 10.0.0.1");
  EXPECT_TRUE(last.stale);
  clock.advance(seconds(1));
  EXPECT_EQ(find("a.example"), "none");
  clock.advance(std::chrono::hours(1));
  EXPECT_FALSE(cache.has_stale(client_query("a.example")));
  EXPECT_EQ(find_stale("a.example"), "none");
}

TEST_F(CacheTest, KeepsFailuresForSomeSeconds) {
  put_failure("a.example");
  clock.advance(seconds(4));
  EXPECT_EQ(find("a.example"), "SERVFAIL; a.example. A");
  clock.advance(seconds(1));
  EXPECT_EQ(find("a.example"), "none");
  EXPECT_FALSE(cache.has_stale(client_query("a.example")));
}

TEST_F(CacheTest, WantsHotNamesAgainBeforeTheyEnd) {
  put("hot.example", 30);
  put("cold.example", 30);
  find("hot.example");
  clock.advance(seconds(27));
  find("hot.example");
  EXPECT_FALSE(last.refresh) << "10% of the time are left, not less";
  clock.advance(std::chrono::milliseconds(1500));
  find("hot.example");
  EXPECT_TRUE(last.refresh);
  find("hot.example");
  EXPECT_FALSE(last.refresh) << "once is enough";
  find("cold.example");
  EXPECT_FALSE(last.refresh) << "asked for once";
  // What was asked for before counts for the next answer, too.
  put("hot.example", 30);
  clock.advance(seconds(29));
  find("hot.example");
  EXPECT_TRUE(last.refresh);
}

TEST_F(CacheTest, StaysWithinItsBytesAndKeepsWhatIsUsed) {
  cache.configure({.bytes = size_t{256} << 10});
  for (int i = 0; i < 50; ++i) {
    put(fmt::format("used{}.example", i), 30);
    find(fmt::format("used{}.example", i));
  }
  for (int i = 0; i < 100'000; ++i) put_negative(fmt::format("random{}.example", i), 30);
  EXPECT_LE(cache.size().bytes, size_t{256} << 10);
  EXPECT_GT(cache.size().negative, 100u);
  for (int i = 0; i < 50; ++i) EXPECT_NE(find(fmt::format("used{}.example", i)), "none") << i;
  // Even if all of them are in use.
  for (int i = 0; i < 10'000; ++i) {
    put(fmt::format("busy{}.example", i), 30);
    find(fmt::format("busy{}.example", i));
  }
  EXPECT_LE(cache.size().bytes, size_t{256} << 10);
}

TEST_F(CacheTest, CanBeTurnedOff) {
  put("a.example", 20);
  cache.configure({.enabled = false});
  EXPECT_EQ(find("a.example"), "none");
  EXPECT_EQ(cache.size().bytes, 0u);
  put("a.example", 20);
  EXPECT_EQ(find("a.example"), "none");
}

TEST_F(CacheTest, LeavesTheTimesOfWhatItDoesNotKeep) {
  cache.configure({.max_ttl = {}, .min_ttl = {}});
  const std::string bytes =
      TestReply(0, "a.example", Type::kA).address("a.example", "10.0.0.1").bytes();
  EXPECT_EQ(cache.put(client_query("a.example"),
                      {Answer::Kind::kPositive, Rcode::kNoError, bytes_of(bytes), 3600, false}),
            3600u);
  EXPECT_EQ(find("a.example"), "none");
}

TEST_F(CacheTest, DoesNotKeepHugeAnswers) {
  TestReply reply(0, "a.example", Type::kA);
  for (int i = 0; i < 2000; ++i) {
    reply.address("a.example", fmt::format("10.0.{}.{}", i / 250, i % 250));
  }
  const std::string bytes = reply.bytes();
  EXPECT_EQ(cache.put(client_query("a.example"),
                      {Answer::Kind::kPositive, Rcode::kNoError, bytes_of(bytes), 20, false}),
            20u);
  EXPECT_EQ(find("a.example"), "none");
}

}  // namespace
}  // namespace proa::dns
