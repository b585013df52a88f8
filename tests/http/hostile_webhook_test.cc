// Admission webhooks that mean harm, against the whole server over real connections: whatever they
// do, a write fails or is let through as the failure policy says, soon, and for no more memory.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"
#include "tests/http/hostile_server.h"

namespace proa::apiserver {
namespace {

using testkit::HostileReply;
using testkit::HostileServer;
using namespace std::chrono_literals;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kGroup = "/apis/admissionregistration.k8s.io/v1/";
// Long after the timeout of a webhook, which is one second, on a busy machine.
constexpr auto kSoon = 20s;

// The API server's side of webhooks, with timeouts in real time.
struct RealEnvironment {
  http::LoopGroup loops{1};
  SystemClock clock;
  SystemFiles files;
  SeededRandom random{1};
  WebhookContext context{loops, clock, files, random};
};

std::string http_ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string allowing(const std::string& uid) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":")" +
         uid + R"(","allowed":true}})";
}

// The answer that a good webhook gives.
std::string allowing_answer(const std::string& request) {
  const json::Document review = json::parse(request.substr(request.find("\r\n\r\n") + 4)).value();
  return http_ok(allowing(std::string(api::View(review.root())["request"]["uid"].text())));
}

// By kind of the configuration.
class HostileWebhook : public testing::TestWithParam<const char*> {
 protected:
  void start(HostileServer::Script script,
             const crypto::CertifiedKey& key = TestCertificates::get().server) {
    server_ = std::make_unique<HostileServer>(key, std::move(script));
    url_ = "https://127.0.0.1:" + std::to_string(server_->listen_at("127.0.0.1")) + "/hook";
  }
  void reply_with(const HostileReply& reply) {
    start([reply](const std::string&) { return reply; });
  }

  void configure(const std::string& failures) {
    const bool mutates = std::string_view(GetParam()) == "Mutating";
    configurations_ = std::string(kGroup) + (mutates ? "mutatingwebhookconfigurations"
                                                     : "validatingwebhookconfigurations");
    const auto made = api_.ask(
        "POST", configurations_,
        R"({"metadata":{"name":"guard"},"webhooks":[{"name":"guard.example.com",)"
        R"("failurePolicy":")" +
            failures +
            R"(","timeoutSeconds":1,"sideEffects":"None","admissionReviewVersions":["v1"],)"
            R"("rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["*"],)"
            R"("resources":["configmaps"]}],"clientConfig":{"url":")" +
            url_ + R"(","caBundle":")" + to_base64(authority_pem_) + R"("}}]})");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  void forget() {
    const auto removed = api_.ask("DELETE", configurations_ + "/guard");
    ASSERT_EQ(removed.code, 200) << removed.body;
  }
  testkit::RunningApi::Answer create(const std::string& name) {
    return api_.ask("POST", kMaps, R"({"metadata":{"name":")" + name + R"("}})");
  }

  // The webhook fails: a write is refused, unless the policy ignores failures.
  void expect_failure() {
    const auto began = std::chrono::steady_clock::now();
    configure("Fail");
    const auto refused = create("a");
    EXPECT_EQ(refused.code, 500) << refused.body;
    EXPECT_NE(refused.body.find(R"(failed calling webhook \"guard.example.com\")"),
              std::string::npos)
        << refused.body;
    forget();
    EXPECT_EQ(api_.ask("GET", std::string(kMaps) + "/a").code, 404);
    configure("Ignore");
    const auto made = create("a");
    EXPECT_EQ(made.code, 201) << made.body;
    EXPECT_EQ(made.body.find("evil"), std::string::npos) << made.body;
    EXPECT_LT(std::chrono::steady_clock::now() - began, kSoon);
    forget();
    EXPECT_EQ(api_.ask("DELETE", std::string(kMaps) + "/a").code, 200);
  }

  std::string authority_pem_ = TestCertificates::get().authority.certificate_pem;
  std::string url_;
  std::string configurations_;
  std::unique_ptr<HostileServer> server_;
  RealEnvironment environment_;
  testkit::RunningApi api_{testkit::RunningApi::Options{.webhooks = &environment_.context}};
};

INSTANTIATE_TEST_SUITE_P(, HostileWebhook, testing::Values("Mutating", "Validating"),
                         [](const auto& kind) { return std::string(kind.param); });

// Else the other tests would prove nothing.
TEST_P(HostileWebhook, MayBehave) {
  start([](const std::string& request) { return HostileReply{.bytes = allowing_answer(request)}; });
  configure("Fail");
  EXPECT_EQ(create("a").code, 201);
  EXPECT_EQ(server_->count(), 1U);
}

TEST_P(HostileWebhook, MayHang) {
  reply_with({});
  expect_failure();
  EXPECT_GE(server_->count(), 2U);
}

// What the webhook is not about goes on meanwhile.
TEST_P(HostileWebhook, MayHangWithoutOthers) {
  reply_with({});
  configure("Fail");
  std::atomic<bool> hangs = true;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([this, i, &hangs] {
      EXPECT_EQ(create("w" + std::to_string(i)).code, 500);
      hangs = false;
    });
  }
  int served = 0;
  while (hangs) {
    const std::string name = "s" + std::to_string(served);
    const auto made = api_.ask("POST", "/api/v1/namespaces/default/secrets",
                               R"({"metadata":{"name":")" + name + R"("}})");
    EXPECT_EQ(made.code, 201) << made.body;
    EXPECT_EQ(api_.ask("GET", kMaps).code, 200);
    ++served;
  }
  EXPECT_GT(served, 1);
}

TEST_P(HostileWebhook, MayAnswerGarbage) {
  const struct {
    const char* name;
    std::string bytes;
  } cases[] = {
      {"no HTTP", "\x16\x03\x01 evil\r\n\r\n"},
      {"another version", "HTTP/9.9 200 OK\r\n\r\n"},
      {"no status", "HTTP/1.1 OK\r\n\r\n"},
      {"empty", http_ok("")},
      {"no JSON", http_ok("<html>evil</html>")},
      {"binary", http_ok(std::string("\0\xff\xfe\x80", 4))},
      {"another kind of JSON", http_ok("[]")},
      {"null", http_ok("null")},
      {"nested deeply", http_ok(std::string(100'000, '[') + std::string(100'000, ']'))},
      {"another question's answer", http_ok(allowing("evil"))},
      {"no response", http_ok(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})")},
      {"another version of reviews",
       http_ok(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1",)"
               R"("response":{"allowed":true}})")},
      {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"},
      {"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}"},
      {"bad chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nevil\r\n{}\r\n0\r\n\r\n"},
      {"an endless field", "HTTP/1.1 200 OK\r\nX: " + std::string(4 << 20, 'x') + "\r\n\r\n"},
      {"informal answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"},
      {"switched protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\n\r\n{}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    reply_with({.bytes = c.bytes});
    expect_failure();
  }
}

TEST_P(HostileWebhook, MayRedirect) {
  HostileServer elsewhere(TestCertificates::get().server, [](const std::string& request) {
    return HostileReply{.bytes = allowing_answer(request)};
  });
  const std::string target =
      "https://127.0.0.1:" + std::to_string(elsewhere.listen_at("127.0.0.1")) + "/hook";
  for (const char* status : {"301 a", "302 a", "303 a", "307 a", "308 a"}) {
    SCOPED_TRACE(status);
    reply_with({.bytes = std::string("HTTP/1.1 ") + status + "\r\nLocation: " + target +
                         "\r\nContent-Length: 0\r\n\r\n"});
    expect_failure();
  }
  EXPECT_EQ(elsewhere.count(), 0U);
}

TEST_P(HostileWebhook, MayCloseMidway) {
  const std::string whole = http_ok(allowing("x"));
  const struct {
    const char* name;
    std::string bytes;
  } cases[] = {
      {"at once", ""},
      {"in the head", "HTTP/1.1 200 OK\r\nContent-"},
      {"before the body", whole.substr(0, whole.find("\r\n\r\n") + 4)},
      {"in the body", whole.substr(0, whole.size() - 2)},
      {"in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"},
      {"before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    reply_with({.bytes = c.bytes, .closes = true});
    expect_failure();
  }
}

// The timeout is of the whole answer, not of its parts.
TEST_P(HostileWebhook, MayDrip) {
  start([](const std::string& request) {
    return HostileReply{.bytes = allowing_answer(request), .pause = 50ms};
  });
  expect_failure();
}

TEST_P(HostileWebhook, MaySendAGigabyte) {
  constexpr uint64_t kMegabyte = 1 << 20;
  constexpr uint64_t kGigabyte = kMegabyte << 10;
  // The server reads 6 MiB; what more there is lies in the buffers of two kernels, for each of the
  // calls of expect_failure().
  constexpr uint64_t kMost = 64 * kMegabyte;
  const std::string spaces(kMegabyte, ' ');
  const struct {
    const char* name;
    HostileReply reply;
  } cases[] = {
      {"announced",
       {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kGigabyte) + "\r\n\r\n",
        .filler = spaces,
        .fillers = kGigabyte / kMegabyte}},
      {"in chunks",
       {.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        .filler = "100000\r\n" + spaces + "\r\n",
        .fillers = kGigabyte / kMegabyte}},
      {"until the end",
       {.bytes = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        .filler = spaces,
        .fillers = kGigabyte / kMegabyte,
        .closes = true}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    reply_with(c.reply);
    expect_failure();
    EXPECT_LT(server_->bytes_sent(), kMost);
  }
}

TEST_P(HostileWebhook, MayHaveAWrongCertificate) {
  const auto allow = [](const std::string& request) {
    return HostileReply{.bytes = allowing_answer(request)};
  };
  const Time now = SystemClock().now();
  crypto::CertificateTemplate wanted;
  wanted.common_name = "another";
  wanted.not_before = now - std::chrono::hours(2);
  wanted.not_after = now + std::chrono::hours(1);
  const crypto::CertifiedKey another = crypto::make_authority(wanted).value();
  wanted.for_server = true;
  wanted.ip_addresses = {"127.0.0.1"};
  {
    SCOPED_TRACE("of another authority");
    start(allow, crypto::issue_certificate(another, wanted).value());
    expect_failure();
    EXPECT_EQ(server_->count(), 0U);
  }
  {
    SCOPED_TRACE("for another name");
    crypto::CertificateTemplate elsewhere = wanted;
    elsewhere.ip_addresses = {"127.0.0.2"};
    start(allow, crypto::issue_certificate(TestCertificates::get().authority, elsewhere).value());
    expect_failure();
    EXPECT_EQ(server_->count(), 0U);
  }
  {
    SCOPED_TRACE("that expired");
    crypto::CertificateTemplate old = wanted;
    old.not_after = now - std::chrono::hours(1);
    start(allow, crypto::issue_certificate(TestCertificates::get().authority, old).value());
    expect_failure();
    EXPECT_EQ(server_->count(), 0U);
  }
}

}  // namespace
}  // namespace proa::apiserver
