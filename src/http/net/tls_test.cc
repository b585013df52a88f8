#include "http/net/tls.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/clock.h"
#include "crypto/authority.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"
#include "testkit/http/socket_probe.h"
#include "testkit/http/test_server.h"

namespace proa::http {
namespace tls_test {

using testkit::RawClient;
using testkit::SocketProbe;
using testkit::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

crypto::CertificateTemplate for_server(const std::string& name) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.dns_names = {"localhost"};
  wanted.ip_addresses = {"127.0.0.1"};
  wanted.for_server = true;
  wanted.not_before = SystemClock().now() - std::chrono::hours(1);
  wanted.not_after = SystemClock().now() + std::chrono::hours(1);
  return wanted;
}

std::shared_ptr<const TlsContext> server_context(const crypto::CertifiedKey& key) {
  TlsOptions options;
  options.certificate_pem = key.certificate_pem;
  options.private_key_pem = key.private_key_pem;
  return *TlsContext::server(options);
}

std::shared_ptr<const TlsContext> client_context(
    const std::string& roots = testkit::test_authority().certificate_pem) {
  TlsOptions options;
  options.roots_pem = roots;
  return *TlsContext::client(options);
}

TEST(Tls, AgreesOnTheProtocol) {
  TestServer server(testkit::echo);
  for (const auto* protocol : {"h2", "http/1.1"}) {
    RawClient client(server.port(), {.tls = true, .protocol = protocol});
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.protocol(), protocol);
  }
  // Unknown protocols are skipped: HTTP/1.1 is the default.
  RawClient client(server.port(), {.tls = true, .protocol = "spdy/1"});
  ASSERT_TRUE(client.connected());
  client.send(kGet);
  EXPECT_EQ(client.receive_response().status, 200);
}

TEST(Tls, SwapsCertificatesWhileRunning) {
  TestServer server(testkit::echo);
  RawClient old_client(server.port(), {.tls = true});
  const auto renewed = crypto::issue_certificate(testkit::test_authority(), for_server("renewed"));
  ASSERT_TRUE(renewed.ok());
  server.tls().set(server_context(*renewed));
  RawClient new_client(server.port(), {.tls = true});
  EXPECT_NE(old_client.server_certificate_der(), new_client.server_certificate_der());
  for (auto* client : {&old_client, &new_client}) {
    client->send(kGet);
    EXPECT_EQ(client->receive_response().status, 200);
  }
}

TEST(Tls, NamesTheAuthoritiesOfClients) {
  TestServer server(testkit::echo);
  EXPECT_TRUE(RawClient(server.port(), {.tls = true}).named_authorities().empty());
  TlsOptions options;
  options.certificate_pem = testkit::test_server_key().certificate_pem;
  options.private_key_pem = testkit::test_server_key().private_key_pem;
  options.request_client_certificate = true;
  options.client_authorities_pem = testkit::test_authority().certificate_pem + "-----BEGIN nothing";
  server.tls().set(*TlsContext::server(options));
  for (const int version : {0, TLS1_2_VERSION}) {
    RawClient client(server.port(), {.tls = true, .max_tls_version = version});
    EXPECT_EQ(client.named_authorities(), std::vector<std::string>{"/CN=test authority"});
  }
}

TEST(Tls, RefusesServersWithAClearWord) {
  Loop loop;
  const auto expired = [] {
    auto wanted = for_server("expired");
    wanted.not_after = SystemClock().now() - std::chrono::minutes(1);
    return *crypto::issue_certificate(testkit::test_authority(), wanted);
  }();
  const auto for_clients = [] {
    auto wanted = for_server("client");
    wanted.for_server = false;
    wanted.for_client = true;
    return *crypto::issue_certificate(testkit::test_authority(), wanted);
  }();
  const auto stranger = *crypto::make_authority(for_server("stranger"));
  struct Case {
    std::string_view name;
    const crypto::CertifiedKey& server;
    std::string roots;
    std::string server_name;
    std::string_view complaint;
  };
  const std::string roots = testkit::test_authority().certificate_pem;
  const auto& good = testkit::test_server_key();
  for (const auto& c :
       {Case{"wrong authority", good, stranger.certificate_pem, "localhost", "issuer certificate"},
        Case{"wrong name", good, roots, "example.com", "hostname mismatch"},
        Case{"wrong address", good, roots, "10.0.0.1", "IP address mismatch"},
        Case{"expired", expired, roots, "localhost", "expired"},
        Case{"for clients", for_clients, roots, "localhost", "purpose"}}) {
    SCOPED_TRACE(c.name);
    TestServer server(testkit::echo);
    server.tls().set(server_context(c.server));
    SocketProbe probe(loop);
    probe.connect(server.endpoint(), client_context(c.roots), c.server_name);
    const std::string event = probe.next();
    EXPECT_TRUE(event.starts_with("closed TLS handshake: certificate refused: ")) << event;
    EXPECT_NE(event.find(c.complaint), std::string::npos) << event;
  }
}

TEST(Tls, TrustsItsAuthorityAndWhomeverItIsToldTo) {
  TestServer server(testkit::echo);
  Loop loop;
  for (const auto* name : {"localhost", "127.0.0.1", ""}) {
    SocketProbe probe(loop);
    probe.connect(server.endpoint(), client_context(), name);
    EXPECT_EQ(probe.next(), "established");
  }
  TlsOptions trusting;
  trusting.insecure_skip_verify = true;
  SocketProbe probe(loop);
  probe.connect(server.endpoint(), *TlsContext::client(trusting), "example.com");
  EXPECT_EQ(probe.next(), "established");
  probe.use([](Socket& socket) {
    EXPECT_EQ(socket.alpn(), "h2");
    EXPECT_EQ(socket.peer_certificates().chain_der.size(), 1U);
  });
}

TEST(Tls, RefusesOldVersions) {
  TestServer server(testkit::echo);
  EXPECT_FALSE(
      RawClient(server.port(), {.tls = true, .max_tls_version = TLS1_1_VERSION}).connected());
  EXPECT_FALSE(
      RawClient(server.port(), {.tls = true, .max_tls_version = TLS1_VERSION}).connected());
  RawClient good(
      server.port(),
      {.tls = true, .client = &testkit::test_client_key(), .max_tls_version = TLS1_2_VERSION});
  ASSERT_TRUE(good.connected());
  good.send(kGet);
  EXPECT_EQ(good.receive_response().status, 200);
}

TEST(Tls, EndsConnectionsThatSpeakSomethingElse) {
  TestServer server(testkit::echo);
  for (const std::string& bytes :
       {std::string(1000, '\xff'), std::string("\x16\x03\x01\xff\xff", 5) + std::string(70000, 'x'),
        std::string("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", 10)}) {
    RawClient client(server.port());
    client.send(bytes);
    client.end();
    EXPECT_EQ(client.receive_all().find("HTTP/"), std::string::npos);
  }
}

TEST(Tls, TellsClientsThatForgotTheHttps) {
  TestServer server(testkit::echo);
  RawClient client(server.port());
  client.send(kGet);
  EXPECT_EQ(client.receive_all(),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST(Tls, TakesABrokenRecordForTheEnd) {
  testkit::Inbox<bool> closed;
  TestServer server([&](ExchangePtr exchange) { exchange->on_closed([&] { closed.put(true); }); });
  RawClient client(server.port(), {.tls = true});
  client.send(kGet);
  // Behind the back of the client's TLS: bytes that decrypt to nothing.
  ASSERT_EQ(client.send_some(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x')), 37U);
  EXPECT_TRUE(closed.take());
}

TEST(Tls, RefusesKeysThatDoNotBelongTogether) {
  TlsOptions options;
  options.certificate_pem = testkit::test_server_key().certificate_pem;
  options.private_key_pem = testkit::test_client_key().private_key_pem;
  EXPECT_FALSE(TlsContext::server(options).ok());
  options.private_key_pem = "not a key";
  EXPECT_FALSE(TlsContext::server(options).ok());
  options.certificate_pem = "";
  EXPECT_FALSE(TlsContext::server(options).ok());
  TlsOptions client;
  client.roots_pem = "not a certificate";
  const auto refused = TlsContext::client(client);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(), "no certificate found among the trusted roots");
}

// Hands the bytes of one session to the other, in pieces; true when both are there.
bool shake_hands(TlsSession& client, TlsSession& server, size_t step) {
  for (int round = 0; round < 10; ++round) {
    if (!client.handshake().ok()) return false;
    for (auto [from, to] : {std::pair{&client, &server}, std::pair{&server, &client}}) {
      const std::string bytes = std::exchange(from->outgoing(), {});
      for (size_t i = 0; i < bytes.size(); i += step) {
        to->receive(std::string_view(bytes).substr(i, step));
        if (!to->handshake().ok()) return false;
        char rest[100];
        if (to->established() && !to->read(rest, sizeof(rest)).ok()) return false;
      }
    }
  }
  return client.established() && server.established();
}

TEST(TlsSession, ShakesHandsHoweverTheBytesAreSplit) {
  for (const size_t step : {1, 7, 100'000}) {
    TlsSession client(client_context(), false, "localhost");
    TlsSession server(server_context(testkit::test_server_key()), true);
    ASSERT_TRUE(shake_hands(client, server, step));
    ASSERT_TRUE(client.write("secret").ok());
    const std::string wire = std::exchange(client.outgoing(), {});
    EXPECT_EQ(wire.find("secret"), std::string::npos);
    server.receive(wire);
    char buffer[100];
    EXPECT_EQ(*server.read(buffer, sizeof(buffer)), 6U);
    EXPECT_FALSE(server.ended());
    client.close_notify();
    server.receive(client.outgoing());
    EXPECT_EQ(*server.read(buffer, sizeof(buffer)), 0U);
    EXPECT_TRUE(server.ended());
  }
}

}  // namespace tls_test
}  // namespace proa::http
