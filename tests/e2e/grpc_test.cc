// Our gRPC client against real servers: containerd's CRI on a unix socket, etcd on TCP and over
// TLS.

#include "http/client/grpc.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "testkit/http/test_server.h"
#include "testkit/process.h"

namespace proa::http {
namespace {

using namespace std::chrono_literals;
using testkit::Process;
using testkit::TempDir;

// A minimal protobuf codec for a few messages: a varint field, a bytes field, and decoding.
std::string varint(uint64_t number) {
  std::string out;
  for (; number >= 128; number >>= 7) out.push_back(static_cast<char>(number | 128));
  out.push_back(static_cast<char>(number));
  return out;
}

std::string number_field(unsigned field, uint64_t value) {
  return varint(field << 3) + varint(value);
}

std::string bytes_field(unsigned field, std::string_view bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

uint64_t take_varint(std::string_view& text) {
  uint64_t number = 0;
  for (int shift = 0; !text.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) break;
  }
  return number;
}

// The first field of that number: its bytes, or a number as text; empty if there is none.
std::string find_field(std::string_view message, unsigned field) {
  while (!message.empty()) {
    const uint64_t key = take_varint(message);
    std::string value;
    if ((key & 7) == 2) {
      const uint64_t size = take_varint(message);
      value = message.substr(0, size);
      message.remove_prefix(std::min<size_t>(size, message.size()));
    } else if ((key & 7) == 0) {
      value = std::to_string(take_varint(message));
    } else {
      return {};
    }
    if (key >> 3 == field) return value;
  }
  return {};
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class GrpcEndToEnd : public testing::Test {
 protected:
  Until within(Duration wait) { return Until::after(clock, wait); }

  // Servers take a moment to start: polls until there is a response.
  Result<Bytes> first_answer(GrpcChannel& channel, std::string_view method) {
    const Until until = within(60s);
    while (true) {
      auto answer = channel.unary(method, "", within(10s));
      if (answer.ok() || clock.steady() > until.deadline) return answer;
      std::this_thread::sleep_for(50ms);
    }
  }

  TempDir folder;
  SystemClock clock;
  LoopGroup loops{1};
};

TEST_F(GrpcEndToEnd, ContainerdSaysItsVersionAndStatus) {
  if (!testkit::has_program("containerd")) GTEST_SKIP() << "containerd is not installed";
  // The native snapshotter works on every file system; nothing outside of the folder is written.
  const std::string config = folder.write("config.toml",
                                          "version = 2\n"
                                          "[plugins.\"io.containerd.internal.v1.opt\"]\n"
                                          "  path = \"" +
                                              folder.file("opt") +
                                              "\"\n"
                                              "[plugins.\"io.containerd.grpc.v1.cri\".containerd]\n"
                                              "  snapshotter = \"native\"\n"
                                              "[plugins.\"io.containerd.grpc.v1.cri\".cni]\n"
                                              "  bin_dir = \"" +
                                              folder.file("cni") +
                                              "\"\n"
                                              "  conf_dir = \"" +
                                              folder.file("cni-conf") + "\"\n");
  const std::string socket = folder.file("containerd.sock");
  const std::string log = folder.file("containerd.log");
  const Process containerd({"containerd", "--config", config, "--root", folder.file("root"),
                            "--state", folder.file("state"), "--address", socket},
                           log);
  Client client(loops, clock, {});
  GrpcChannel channel(client, Origin::unix_socket(socket));

  const auto version = first_answer(channel, "/runtime.v1.RuntimeService/Version");
  ASSERT_TRUE(version.ok()) << version.status().message() << "\n" << content(log);
  EXPECT_EQ(find_field(version->view(), 2), "containerd");
  EXPECT_FALSE(find_field(version->view(), 3).empty());
  EXPECT_EQ(find_field(version->view(), 4), "v1");

  const auto status =
      channel.unary("/runtime.v1.RuntimeService/Status", number_field(1, 1), within(30s));
  ASSERT_TRUE(status.ok()) << status.status().message();
  const std::string conditions = find_field(status->view(), 1);
  EXPECT_EQ(find_field(find_field(conditions, 1), 1), "RuntimeReady");
  EXPECT_EQ(find_field(find_field(conditions, 1), 2), "1");
  EXPECT_NE(status->view().find("\"containerd\":"), std::string_view::npos);

  const auto missing = channel.unary("/runtime.v1.RuntimeService/ContainerStatus",
                                     bytes_field(1, "none"), within(30s));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(grpc_code(missing.status()), GrpcCode::kNotFound);
  const auto unknown = channel.unary("/runtime.v1.RuntimeService/Nonsense", "", within(30s));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(grpc_code(unknown.status()), GrpcCode::kUnimplemented);
}

// An etcd on free ports.
class Etcd {
 public:
  Etcd(const TempDir& folder, bool tls) : tls_(tls) {
    const std::string client_url =
        (tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
    const std::string peer_url = "http://127.0.0.1:" + std::to_string(testkit::free_port());
    std::vector<std::string> words = {
        "env",
        "ETCD_UNSUPPORTED_ARCH=arm64",  // experimental according to its release notes
        "etcd",
        "--name",
        "one",
        "--data-dir",
        folder.file("etcd"),
        "--listen-client-urls",
        client_url,
        "--advertise-client-urls",
        client_url,
        "--listen-peer-urls",
        peer_url,
        "--initial-advertise-peer-urls",
        peer_url,
        "--initial-cluster",
        "one=" + peer_url};
    if (tls) {
      const auto& key = testkit::test_server_key();
      words.insert(words.end(), {"--cert-file", folder.write("cert.pem", key.certificate_pem),
                                 "--key-file", folder.write("key.pem", key.private_key_pem)});
    }
    log_ = folder.file("etcd.log");
    process_.emplace(words, log_);
  }

  Origin origin() const { return {.tls = tls_, .host = "127.0.0.1", .port = port_}; }
  std::string log() const { return content(log_); }

 private:
  const bool tls_;
  const int port_ = testkit::free_port();
  std::string log_;
  std::optional<Process> process_;
};

class EtcdEndToEnd : public GrpcEndToEnd, public testing::WithParamInterface<bool> {
 protected:
  ClientOptions options() {
    ClientOptions made;
    auto tls = TlsContext::client({.roots_pem = testkit::test_authority().certificate_pem});
    EXPECT_TRUE(tls.ok());
    made.pool.tls = *tls;
    return made;
  }
};

TEST_P(EtcdEndToEnd, AnswersCallsAndStreamsWatchEvents) {
  if (!testkit::has_program("etcd")) GTEST_SKIP() << "etcd is not installed";
  const Etcd etcd(folder, GetParam());
  Client client(loops, clock, options());
  GrpcChannel channel(client, etcd.origin());

  const auto status = first_answer(channel, "/etcdserverpb.Maintenance/Status");
  ASSERT_TRUE(status.ok()) << status.status().message() << "\n" << etcd.log();
  EXPECT_EQ(find_field(status->view(), 2).substr(0, 2), "3.");

  const auto watch = channel.open("/etcdserverpb.Watch/Watch");
  ASSERT_TRUE(watch->send(bytes_field(1, bytes_field(1, "some-key")), within(30s)).ok());
  const auto created = watch->receive(within(30s));
  ASSERT_TRUE(created.ok() && created->has_value()) << created.status().message();
  EXPECT_EQ(find_field((*created)->view(), 3), "1");

  // Larger than a frame and than the first windows, in both directions.
  const std::string value(600'000, 'v');
  for (const std::string& text : {std::string("small"), value}) {
    const auto put = channel.unary("/etcdserverpb.KV/Put",
                                   bytes_field(1, "some-key") + bytes_field(2, text), within(30s));
    ASSERT_TRUE(put.ok()) << put.status().message();
    const auto event = watch->receive(within(30s));
    ASSERT_TRUE(event.ok() && event->has_value());
    const std::string pair = find_field(find_field((*event)->view(), 11), 2);
    EXPECT_EQ(find_field(pair, 1), "some-key");
    EXPECT_TRUE(find_field(pair, 5) == text);
  }
  EXPECT_TRUE(watch->receive(within(10ms)).is(Reason::kTimeout));
  EXPECT_EQ(client.connections(), 1U);

  const auto wrong = channel.unary("/etcdserverpb.KV/Put", "", within(30s));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(grpc_code(wrong.status()), GrpcCode::kInvalidArgument);
  EXPECT_EQ(wrong.status().message(), "etcdserver: key is not provided");
  watch->half_close();
}

INSTANTIATE_TEST_SUITE_P(Plain, EtcdEndToEnd, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, EtcdEndToEnd, testing::Values(true));

}  // namespace
}  // namespace proa::http
