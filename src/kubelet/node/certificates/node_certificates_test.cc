#include "kubelet/node/certificates/node_certificates.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "kubelet/node/certificates/certificate_keeper.h"
#include "testkit/controllers/test_world.h"
#include "testkit/kubelet/test_machine.h"
#include "testkit/patience.h"

namespace proa::kubelet {
namespace node_certificates_test {

constexpr api::NodeNameView kNode("n1");

// A cluster that signs what somebody approves.
struct Bench {
  std::vector<std::string> requests() {
    std::vector<std::string> names;
    for (const api::ObjectPtr& one :
         world.list("certificates.k8s.io", "certificatesigningrequests", "")) {
      names.emplace_back(one->metadata().name);
    }
    return names;
  }
  // Waits for a request that was not there, and says yes or no to it.
  void decide(const std::string& type) {
    std::string name;
    ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(5), [&] {
      name = new_request();
      return !name.empty();
    })) << "nobody asked for a certificate";
    client::Place place =
        world.place("certificates.k8s.io", "certificatesigningrequests", "", name);
    place.subresource = "approval";
    const std::string patch = R"({"status":{"conditions":[{"type":")" + type +
                              R"(","status":"True","reason":"Test","message":"so"}]}})";
    ASSERT_TRUE(world.client()
                    .patch(place, api::PatchType::kMerge, json::parse_literal(patch), {}, {})
                    .ok());
    world.settle();
  }
  // The name of one that was not returned before; empty if there is none.
  std::string new_request() {
    for (const std::string& name : requests()) {
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      return name;
    }
    return "";
  }
  JoinContext context() {
    return {world.client(), api::builtin_schema(), world.clock(), machine.files};
  }
  std::string path() const { return client_certificate_path(machine.path()); }

  testkit::TestWorld world;
  TestMachine machine;  // for its folder
  SeededRandom random{1};
  std::vector<std::string> seen;
};

template <typename Condition>
bool eventually(Condition condition) {
  return testkit::holds_within(std::chrono::seconds(5), condition);
}

}  // namespace node_certificates_test

using node_certificates_test::Bench;
using node_certificates_test::eventually;
using node_certificates_test::kNode;

TEST(EnsureClientCertificate, HasOneSignedAndKeepsIt) {
  Bench bench;
  Result<crypto::CertifiedKey> joined = Status(Reason::kUnknown, "");
  std::jthread joining(
      [&] { joined = ensure_client_certificate(bench.context(), kNode, bench.path(), {}); });
  bench.decide("Approved");
  joining.join();
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  EXPECT_EQ(crypto::Certificate::parse(joined->certificate_pem)->identity()->common_name,
            "system:node:n1");
  struct stat info {};
  ASSERT_EQ(::stat(bench.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  // The next start asks nobody.
  const auto again = ensure_client_certificate(bench.context(), kNode, bench.path(), {});
  EXPECT_EQ(again->private_key_pem, joined->private_key_pem);
  EXPECT_EQ(bench.requests().size(), 1U);
  EXPECT_FALSE(has_client_certificate(bench.machine.files, bench.world.clock(),
                                      api::NodeNameView("n2"), bench.path()));
}

TEST(EnsureClientCertificate, SaysThatItWasDenied) {
  Bench bench;
  Result<crypto::CertifiedKey> joined = Status(Reason::kUnknown, "");
  std::jthread joining(
      [&] { joined = ensure_client_certificate(bench.context(), kNode, bench.path(), {}); });
  bench.decide("Denied");
  joining.join();
  ASSERT_TRUE(joined.is(Reason::kForbidden));
  EXPECT_EQ(joined.status().message(),
            "certificate signing request is denied, reason: Test, message: so");
  EXPECT_FALSE(bench.machine.files.exists(bench.path()).value());
}

TEST(EnsureClientCertificate, DoesNotWaitForever) {
  Bench bench;
  std::stop_source stop;
  Result<crypto::CertifiedKey> joined = Status(Reason::kUnknown, "");
  std::jthread joining([&] {
    joined = ensure_client_certificate(bench.context(), kNode, bench.path(),
                                       {.deadline = Steady::max(), .stop = stop.get_token()});
  });
  ASSERT_TRUE(eventually([&] { return !bench.requests().empty(); }));
  stop.request_stop();
  joining.join();
  EXPECT_FALSE(joined.ok());
}

TEST(EnsureServingCertificate, MakesOneThatFitsAndLeavesItAlone) {
  TestMachine machine;
  testkit::FakeClock clock;
  const std::string path = serving_certificate_path(machine.path());
  crypto::CertificateIdentity identity{.dns_names = {"n1"}, .ip_addresses = {"10.0.0.5"}};
  ASSERT_TRUE(ensure_serving_certificate(machine.files, clock, kNode, identity, path).ok());
  const crypto::CertifiedKey first = read_certified_key(machine.files, path).value();
  const auto certificate = crypto::Certificate::parse(first.certificate_pem).value();
  EXPECT_TRUE(is_own_making(certificate, kNode));
  EXPECT_TRUE(covers_names(certificate, identity));
  EXPECT_FALSE(covers_names(certificate, {.dns_names = {"n2"}}));
  EXPECT_FALSE(covers_names(certificate, {.ip_addresses = {"10.0.0.6"}}));
  ASSERT_TRUE(ensure_serving_certificate(machine.files, clock, kNode, identity, path).ok());
  EXPECT_EQ(read_certified_key(machine.files, path)->private_key_pem, first.private_key_pem);
  identity.ip_addresses = {"10.0.0.6"};
  ASSERT_TRUE(ensure_serving_certificate(machine.files, clock, kNode, identity, path).ok());
  EXPECT_NE(read_certified_key(machine.files, path)->private_key_pem, first.private_key_pem);
}

TEST(ReadCertifiedKey, RefusesHalves) {
  TestMachine machine;
  const std::string path = machine.path() + "/pki/x.pem";
  EXPECT_TRUE(read_certified_key(machine.files, path).is(Reason::kNotFound));
  machine.write("/pki/x.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n");
  EXPECT_TRUE(read_certified_key(machine.files, path).is(Reason::kInvalid));
  machine.write("/pki/x.pem", crypto::PrivateKey::generate().pem());
  EXPECT_TRUE(read_certified_key(machine.files, path).is(Reason::kInvalid));
}

TEST(RenewalTime, LiesBetweenSeventyAndNinetyPercent) {
  SeededRandom random(7);
  const Time not_before(std::chrono::seconds(1000));
  const Time not_after(std::chrono::seconds(2000));
  Time least = Time::max();
  Time most = Time::min();
  for (int i = 0; i < 1000; ++i) {
    const Time due = renewal_time(not_before, not_after, random);
    least = std::min(least, due);
    most = std::max(most, due);
  }
  EXPECT_GE(least, Time(std::chrono::seconds(1700)));
  EXPECT_LE(most, Time(std::chrono::seconds(1900)));
  EXPECT_GT(most - least, std::chrono::seconds(150));
}

TEST(CertificateKeeper, ReplacesOneOfOwnMakingThenRenewsInTime) {
  Bench bench;
  const std::string path = serving_certificate_path(bench.machine.path());
  const SigningWish wish = SigningWish::for_server(kNode, {"n1"}, {"10.0.0.5"});
  ASSERT_TRUE(ensure_serving_certificate(bench.machine.files, bench.world.clock(), kNode,
                                         wish.identity, path)
                  .ok());
  std::atomic<int> renewals = 0;
  CertificateKeeper keeper({.client = bench.world.client(),
                            .schema = api::builtin_schema(),
                            .clock = bench.world.clock(),
                            .random = bench.random,
                            .files = bench.machine.files,
                            .node_name = api::NodeName(kNode),
                            .path = path,
                            .wish = wish,
                            .renewed = [&](const crypto::CertifiedKey&) { ++renewals; }});
  keeper.start();
  bench.decide("Approved");
  ASSERT_TRUE(eventually([&] { return renewals == 1; }));
  const crypto::CertifiedKey first = read_certified_key(bench.machine.files, path).value();
  const auto certificate = crypto::Certificate::parse(first.certificate_pem).value();
  EXPECT_EQ(certificate.identity()->common_name, "system:node:n1");

  bench.world.clock().await_waiters(1);
  bench.world.wait((certificate.not_after() - certificate.not_before()) / 2);
  EXPECT_EQ(renewals, 1);
  bench.world.wait((certificate.not_after() - certificate.not_before()) * 2 / 5);
  bench.decide("Approved");
  ASSERT_TRUE(eventually([&] { return renewals == 2; }));
  EXPECT_NE(read_certified_key(bench.machine.files, path)->private_key_pem, first.private_key_pem);
}

}  // namespace proa::kubelet
