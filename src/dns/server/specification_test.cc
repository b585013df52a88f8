#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "dns/message/text.h"
#include "testkit/dns/dns_client.h"
#include "testkit/dns/test_cluster.h"
#include "testkit/golden.h"

namespace proa::dns {
namespace {

const std::filesystem::path kData = std::filesystem::path(__FILE__).parent_path() / "testdata";

Zone make_zone() {
  auto zone =
      Zone::make({.servers = {parse_ip("10.96.0.10").value(), parse_ip("fd00:96::a").value()}});
  EXPECT_TRUE(zone.ok());
  return *zone;
}

// The world outside: one name with addresses, a server that fails, nothing else.
Rcode answer_outside(const Query& query, Writer& writer) {
  const Name& name = query.question.name;
  if (name == *Name::parse("unreachable.example.com")) return Rcode::kServerFailure;
  if (name != *Name::parse("www.example.com")) return Rcode::kNameError;
  if (query.question.type == Type::kA) {
    writer.address(Section::kAnswer, name, 60, parse_ip("192.0.2.53").value());
  }
  return Rcode::kNoError;
}

class SpecificationTest : public ::testing::Test {
 protected:
  SpecificationTest() : cluster_(make_zone()), forwarder_(answer_outside) {
    std::ifstream file(kData / "cluster.yaml");
    std::stringstream yaml;
    yaml << file.rdbuf();
    WriterLock lock(cluster_.mutex);
    testkit::load_cluster(yaml.str(), cluster_.index);
    cluster_.index.set_synced();
    cluster_.index.set_serial(1700000000);
  }

  std::string ask(std::string_view command, bool tcp, uint16_t udp_size) {
    const auto halves = split_once(command, ' ');
    Type type = Type::kA;
    if (!halves || !parse_type(halves->before, type)) return "what?\n";
    const testkit::Message query = testkit::make_query(++id_, halves->after, type, udp_size);
    testkit::Message answer;
    if (tcp) {
      const auto answers = testkit::ask_tcp(server_.address(), server_.tcp_port(), {query});
      if (!answers.empty()) answer = answers[0];
    } else {
      answer = testkit::ask_udp(server_.address(), server_.udp_port(), query);
    }
    if (answer.size() < kHeaderSize) return "no answer\n";
    EXPECT_EQ(read16(answer.data()), id_);
    // The question comes back byte for byte.
    EXPECT_TRUE(std::equal(query.begin() + kHeaderSize,
                           query.begin() + static_cast<ptrdiff_t>(question_end(query)),
                           answer.begin() + kHeaderSize))
        << command;
    return message_text(answer);
  }

  static size_t question_end(const testkit::Message& query) {
    Reader reader(query);
    Question question;
    EXPECT_TRUE(reader.header() && reader.question(question));
    return reader.offset();
  }

  ClusterState cluster_;
  testkit::FakeForwarder forwarder_;
  testkit::TestDnsServer server_{cluster_, &forwarder_};
  uint16_t id_ = 0;
};

// Addresses of several are in turn; the script has them in one order.
std::string in_order(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  std::sort(lines.begin() + 1, lines.end());
  std::string sorted;
  for (const std::string& line : lines) sorted += line;
  return sorted;
}

TEST_F(SpecificationTest, HoldsByUdpAndTcp) {
  testkit::run_golden(kData / "specification.txt", [&](std::string_view command) {
    const std::string udp = in_order(ask(command, false, 0));
    EXPECT_EQ(in_order(ask(command, true, 0)), udp) << command;
    std::string edns = in_order(ask(command, false, 1232));
    const size_t flag = edns.find(" edns=1232");
    EXPECT_NE(flag, std::string::npos) << command;
    if (flag != std::string::npos) edns.erase(flag, std::string_view(" edns=1232").size());
    EXPECT_EQ(edns, udp) << command;
    return udp;
  });
}

}  // namespace
}  // namespace proa::dns
