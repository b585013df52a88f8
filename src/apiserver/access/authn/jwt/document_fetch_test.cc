#include "apiserver/access/authn/jwt/document_fetch.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_issuer.h"
#include "testkit/http/inbox.h"

namespace proa::apiserver {
namespace {

class Fetching {
 public:
  explicit Fetching(const std::string& authority) : client_(loops_, clock_, options(authority)) {}

  // The document, or why there is none.
  std::string get(const std::string& url, size_t limit = 1000) {
    const auto call =
        fetch_document(client_, http::parse_url(url).value(), limit,
                       [this](Result<std::string> document) { done_.put(std::move(document)); });
    const auto document = done_.take();
    CHECK(document.has_value());
    return document->ok() ? **document : document->status().message();
  }
  bool is_silent() const { return done_.empty(); }

 private:
  static http::ClientOptions options(const std::string& authority) {
    http::ClientOptions options;
    options.pool.tls = http::TlsContext::client({.roots_pem = authority}).value();
    return options;
  }

  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Client client_;
  testkit::Inbox<Result<std::string>> done_;
};

const std::string& authority() { return TestCertificates::get().authority.certificate_pem; }

TEST(FetchDocument, GetsIt) {
  TestIssuer issuer({});
  issuer.set_json("/a?b=c", "text");
  Fetching fetching(authority());
  EXPECT_EQ(fetching.get(issuer.url() + "/a?b=c"), "text");
  issuer.set_json("/empty", "");
  EXPECT_EQ(fetching.get(issuer.url() + "/empty"), "");
}

TEST(FetchDocument, TakesNothingButAGoodAnswer) {
  TestIssuer issuer({});
  Fetching fetching(authority());
  EXPECT_EQ(fetching.get(issuer.url() + "/missing"),
            "fetching " + issuer.url() + "/missing: it is answered with 404 Not Found");
  issuer.set_page("/elsewhere", http::Response{302, {{"location", "/target"}}, {}, {}});
  EXPECT_EQ(fetching.get(issuer.url() + "/elsewhere"),
            "fetching " + issuer.url() +
                "/elsewhere: it is answered with 302 Found: redirects are not followed");
  EXPECT_EQ(issuer.count("/target"), 0);
  issuer.set_page("/other", http::Response{206, {}, Bytes(std::string("part")), {}});
  EXPECT_NE(fetching.get(issuer.url() + "/other"), "part");
  EXPECT_TRUE(fetching.is_silent());
}

TEST(FetchDocument, ReadsNoMoreThanItsLimit) {
  TestIssuer issuer({});
  Fetching fetching(authority());
  issuer.set_json("/a", std::string(1000, 'x'));
  EXPECT_EQ(fetching.get(issuer.url() + "/a").size(), 1000u);
  issuer.set_json("/a", std::string(1001, 'x'));
  EXPECT_EQ(fetching.get(issuer.url() + "/a"),
            "fetching " + issuer.url() + "/a: it is larger than 1000 bytes");
  issuer.set_json("/a", std::string(4 << 20, 'x'));
  EXPECT_EQ(fetching.get(issuer.url() + "/a"),
            "fetching " + issuer.url() + "/a: it is larger than 1000 bytes");
  EXPECT_TRUE(fetching.is_silent());
}

TEST(FetchDocument, AsksOnlyWhomItTrusts) {
  TestIssuer issuer({});
  issuer.set_json("/a", "text");
  Fetching fetching("");
  EXPECT_NE(fetching.get(issuer.url() + "/a"), "text");
  EXPECT_EQ(issuer.count("/a"), 0);
}

}  // namespace
}  // namespace proa::apiserver
