#include "apiserver/resources/virtual/token_reviews.h"

#include <gtest/gtest.h>

#include "apiserver/access/authn/token_kinds/service_account.h"
#include "apiserver/access/authn/token_kinds/token_file.h"
#include "apiserver/objects/reader.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

class TokenReviewsTest : public testing::Test {
 protected:
  TokenReviewsTest() {
    ServiceAccountTokens::Options options;
    options.keys = {make_token_key().private_key};
    issued_ = ServiceAccountTokens::make(options).value();
    std::vector<std::unique_ptr<TokenAuthenticator>> kinds;
    kinds.push_back(TokenFile::parse("file-token,carol,c-1,\"ops,dev\"\n").value());
    kinds.push_back(std::make_unique<ServiceAccountAuthenticator>(*issued_, *cluster_.store,
                                                                  cluster_.schema, cluster_.clock));
    tokens_ = std::make_unique<BearerTokens>(std::move(kinds), issued_->audiences(),
                                             cluster_.random, cluster_.clock);
    CHECK(cluster_.start().ok());
    CHECK(
        cluster_
            .create(cluster_.request("", "serviceaccounts", ""), R"({"metadata":{"name":"robot"}})")
            .ok());
    account_uid_ = ObjectReader(*cluster_.store, cluster_.schema)
                       .find("", "serviceaccounts", "default", "robot")
                       .value()
                       ->metadata()
                       .uid;
  }

  std::string robot_token() const {
    ServiceAccountClaims claims;
    claims.name_space = "default";
    claims.service_account = {"robot", account_uid_};
    claims.audiences = {"vault", issued_->issuer()};
    claims.id = "j-1";
    claims.issued = cluster_.clock.now();
    claims.expires = cluster_.clock.now() + std::chrono::hours(1);
    return issued_->issue(claims).value();
  }
  Result<Answer> create(const std::string& body) {
    ApiContext context = cluster_.context;
    context.bearer_tokens = tokens_.get();
    Call call{cluster_.request("authentication.k8s.io", "tokenreviews", ""),
              WriteOptions{},
              {.content_type = "application/json", .bytes = Bytes(body)}};
    return create_token_review(context, call);
  }
  // The status.
  std::string status(const std::string& token, const std::string& more = "") {
    const Result<Answer> answer = create(R"({"spec":{"token":")" + token + "\"" + more +
                                         R"(},"status":{"authenticated":true,)"
                                         R"("user":{"username":"me"}}})");
    if (!answer) return answer.status().message();
    EXPECT_EQ(answer->code, 201);
    const std::string_view text = answer->object->json();
    return std::string(text.substr(text.find("\"status\":")));
  }

  testkit::TestCluster cluster_{{.version_document = "{}", .advertise_address = "192.0.2.1"}};
  std::unique_ptr<const ServiceAccountTokens> issued_;
  std::unique_ptr<BearerTokens> tokens_;
  std::string account_uid_;
};

TEST_F(TokenReviewsTest, TellWhomATokenBelongsTo) {
  const auto answer = create(R"({"metadata":{"labels":{"a":"b"}},"spec":{"token":"file-token"}})");
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->code, 201);
  EXPECT_EQ(answer->object->json(),
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",)"
            R"("metadata":{"labels":{"a":"b"}},"spec":{"token":"file-token"},)"
            R"("status":{"authenticated":true,"user":{"username":"carol","uid":"c-1",)"
            R"("groups":["ops","dev","system:authenticated"]},)"
            R"("audiences":["https://kubernetes.default.svc.cluster.local"]}})");
  EXPECT_EQ(status(robot_token()),
            R"("status":{"authenticated":true,)"
            R"("user":{"username":"system:serviceaccount:default:robot","uid":")" +
                account_uid_ +
                R"(","groups":["system:serviceaccounts","system:serviceaccounts:default",)"
                R"("system:authenticated"],)"
                R"("extra":{"authentication.kubernetes.io/credential-id":["JTI=j-1"]}},)"
                R"("audiences":["https://kubernetes.default.svc.cluster.local"]}})");
}

TEST_F(TokenReviewsTest, TellWhomATokenIsFor) {
  EXPECT_NE(status(robot_token(), R"(,"audiences":["x","vault"])").find(R"("audiences":["vault"])"),
            std::string::npos);
  EXPECT_EQ(
      status(robot_token(), R"(,"audiences":["x"])"),
      R"("status":{"user":{},"error":"token audiences are invalid for the target audiences"}})");
  EXPECT_EQ(status("file-token", R"(,"audiences":["x"])"),
            R"("status":{"user":{},"error":"invalid bearer token"}})");
}

TEST_F(TokenReviewsTest, TellWhatIsWrongButNotMore) {
  EXPECT_EQ(status("canary"), R"("status":{"user":{},"error":"invalid bearer token"}})");
  EXPECT_EQ(status("Bearer canary"), R"("status":{"user":{},"error":"invalid bearer token"}})");
  EXPECT_EQ(status(" file-token"), R"("status":{"user":{}}})");
  EXPECT_EQ(status(""), "token is required for TokenReview in authentication");
  EXPECT_TRUE(create("{}").is(Reason::kBadRequest));
  const std::string token = robot_token();
  cluster_.clock.advance(std::chrono::hours(2));
  EXPECT_EQ(status(token), R"("status":{"user":{},"error":"service account token has expired"}})");
}

TEST_F(TokenReviewsTest, MustBeReadable) {
  EXPECT_TRUE(create("{").is(Reason::kBadRequest));
  EXPECT_TRUE(create(R"({"spec":{"token":1}})").is(Reason::kBadRequest));
  EXPECT_TRUE(create(R"({"kind":"Pod","apiVersion":"v1"})").is(Reason::kBadRequest));
}

}  // namespace
}  // namespace proa::apiserver
