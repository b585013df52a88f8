#include "controllers/access/request_cleaner.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "client/certificates/test_request.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "testkit/controllers/test_world.h"
#include "testkit/crypto/test_request.h"

namespace proa::controllers {
namespace {

constexpr Time kCreated{std::chrono::seconds(1767366245)};  // 2026-01-02T15:04:05Z

std::string certificate_until(Time end) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "x";
  wanted.not_before = end - std::chrono::hours(1);
  wanted.not_after = end;
  return to_base64(crypto::make_authority(wanted).value().certificate_pem);
}

std::string condition(const char* type, Time updated) {
  return std::string(R"({"type":")") + type + R"(","status":"True","lastUpdateTime":")" +
         format_time(updated) + R"("})";
}

TEST(RemovalOfRequest, IsAtUpstreamsAges) {
  using std::chrono::hours;
  using std::chrono::minutes;
  const Time decided = kCreated + minutes(5);
  const auto with_certificate = [](const std::string& conditions, const std::string& certificate) {
    return R"("conditions":[)" + conditions + R"(],"certificate":")" + certificate + '"';
  };
  const struct {
    const char* name;
    std::string status;
    std::optional<Time> removal;
  } cases[] = {
      {"pending", "", kCreated + hours(24)},
      {"denied", R"("conditions":[)" + condition("Denied", decided) + "]", decided + hours(1)},
      {"failed", R"("conditions":[)" + condition("Failed", decided) + "]", decided + hours(1)},
      {"approved", R"("conditions":[)" + condition("Approved", decided) + "]", decided + hours(24)},
      {"approved and failed",
       R"("conditions":[)" + condition("Approved", decided) + "," + condition("Failed", decided) +
           "]",
       decided + hours(1)},
      {"issued",
       with_certificate(condition("Approved", decided), certificate_until(decided + hours(9))),
       decided + hours(1)},
      {"issued and ends soon",
       with_certificate(condition("Approved", decided), certificate_until(decided + minutes(9))),
       decided + minutes(9)},
      {"issued, but who knows what",
       with_certificate(condition("Approved", decided), to_base64("no certificate")),
       decided + hours(1)},
      {"something else", R"("conditions":[)" + condition("Other", decided) + "]", std::nullopt},
      {"denied at no time", R"("conditions":[{"type":"Denied","status":"True"}])", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document request =
        *json::parse(R"({"metadata":{"creationTimestamp":")" + format_time(kCreated) +
                     R"("},"status":{)" + c.status + "}}");
    EXPECT_EQ(removal_of_request(request.root()), c.removal);
  }
}

class RequestCleanerTest : public testing::Test {
 protected:
  static constexpr const char* kGroup = "certificates.k8s.io";
  static constexpr const char* kRequests = "certificatesigningrequests";

  void create(const std::string& name) {
    world_.create(kGroup, kRequests, "",
                  R"({"metadata":{"name":")" + name + R"("},"spec":{"request":")" + request_ +
                      R"(","signerName":"example.com/mine","usages":["client auth"]}})");
  }
  void decide(const std::string& name, const char* type) {
    world_.patch(kGroup, kRequests, "", name,
                 std::string(R"({"status":{"conditions":[{"type":")") + type +
                     R"(","status":"True","reason":"x","message":"x"}]}})",
                 "approval");
  }
  bool is_there(const std::string& name) {
    return world_.get(kGroup, kRequests, "", name) != nullptr;
  }

  testkit::TestWorld world_{
      std::vector<ControllerEntry>{{"csrcleaner", "certificate-controller", make_request_cleaner}}};
  const std::string request_ = to_base64(crypto::TestRequest{.subject = {{"CN", "jane"}}}.pem());
};

TEST_F(RequestCleanerTest, DeletesWhatNobodyNeedsAnyMore) {
  create("pending");
  create("denied");
  create("approved");
  decide("denied", "Denied");
  decide("approved", "Approved");
  world_.pass(std::chrono::minutes(59));
  EXPECT_TRUE(is_there("denied"));
  world_.pass(std::chrono::minutes(2));
  EXPECT_FALSE(is_there("denied"));
  world_.restart();
  world_.pass(std::chrono::hours(22));
  EXPECT_TRUE(is_there("pending"));
  EXPECT_TRUE(is_there("approved"));
  world_.pass(std::chrono::hours(2));
  EXPECT_FALSE(is_there("pending"));
  EXPECT_FALSE(is_there("approved"));
}

}  // namespace
}  // namespace proa::controllers
