#include "network/cni/cached_results.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "testkit/process.h"

namespace proa::network {
namespace {

// As containerd's library of CNI writes it, after plugins bridge, portmap and bandwidth.
constexpr const char* kWhole = R"({"kind":"cniCacheV1","containerId":"4f1a","config":"ewp9Cg==",
  "ifName":"eth0","networkName":"proa0","cniArgs":[["IgnoreUnknown","1"]],
  "capabilityArgs":{"portMappings":[]},"result":{"cniVersion":"1.0.0","dns":{},
  "interfaces":[{"mac":"8a:01:02:03:04:05","name":"proa0"},
    {"mac":"d6:01:02:03:04:05","name":"veth0f3c2a17"},
    {"mac":"2a:11:22:33:44:55","name":"eth0","sandbox":"/var/run/netns/cni-1"},
    {"mac":"de:01:02:03:04:05","name":"bwp2c9d"}],
  "ips":[{"address":"10.244.1.7/24","gateway":"10.244.1.1","interface":2},
    {"address":"fd01::7/64","gateway":"fd01::1","interface":2}],
  "routes":[{"dst":"0.0.0.0/0"},{"dst":"::/0"}]}})";

const AttachedPod kPod{
    .links = {"proa0", "veth0f3c2a17", "bwp2c9d"},
    .mac = {0x2a, 0x11, 0x22, 0x33, 0x44, 0x55},
    .addresses = {parse_ip("10.244.1.7").value(), parse_ip("fd01::7").value()},
    .broadcasts = {parse_ip("10.244.1.0").value(), parse_ip("10.244.1.255").value()}};

std::string replaced(std::string text, const std::string& part, const std::string& with) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), with);
}

TEST(CachedResult, SaysWhichLinkAndAddressesAPodHas) {
  EXPECT_EQ(read_cached_result(kWhole, "proa0"), kPod);
  EXPECT_EQ(read_cached_result(kWhole, "proa1"), std::nullopt);
  // Addresses of another interface, as of loopback, are not the pod's to send with.
  AttachedPod v6 = kPod;
  v6.addresses.erase(v6.addresses.begin());
  v6.broadcasts.clear();
  EXPECT_EQ(read_cached_result(replaced(kWhole, R"("interface":2)", R"("interface":1)"), "proa0"),
            v6);
}

TEST(CachedResult, SaysWhatIsForAllOfItsNetwork) {
  const auto broadcasts = [](const std::string& address) {
    std::string text;
    const auto pod = read_cached_result(replaced(kWhole, "10.244.1.7/24", address), "proa0");
    for (const IpAddress& one : pod->broadcasts) text += one.str() + " ";
    return text;
  };
  EXPECT_EQ(broadcasts("10.244.1.7/20"), "10.244.0.0 10.244.15.255 ");
  EXPECT_EQ(broadcasts("10.244.1.7/30"), "10.244.1.4 10.244.1.7 ");
  EXPECT_EQ(broadcasts("10.244.1.7/31"), "");
  EXPECT_EQ(broadcasts("10.244.1.7/32"), "");
}

TEST(CachedResult, IsNotBelievedUnlessItIsComplete) {
  const std::string whole = kWhole;
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() - 1), std::string("[]"), std::string("{}"),
        replaced(whole, R"("result":{)", R"("result":7,"x":{)"),
        replaced(whole, "2a:11:22:33:44:55", "2a:11:22"),
        replaced(whole, R"("sandbox")", R"("other")"), replaced(whole, R"("ips":[)", R"("ip":[)"),
        replaced(whole, R"("interfaces":[)", R"("interfaces":{"x":[)"),
        replaced(replaced(replaced(whole, R"("name":"proa0")", R"("name":7)"), "veth0f3c2a17",
                          "a-name-that-is-too-long"),
                 "bwp2c9d", "")}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read_cached_result(text, "proa0"), std::nullopt);
  }
}

class CachedResultsTest : public ::testing::Test {
 protected:
  size_t refresh(const std::set<std::string>& links = {}) {
    EXPECT_TRUE(results_.refresh(links).ok());
    return results_.pods().size();
  }

  testkit::TempDir folder_;
  SystemFiles files_;
  CachedResults results_{files_, folder_.file("results"), "proa0"};
};

TEST_F(CachedResultsTest, AreReadWhenTheyAreComplete) {
  EXPECT_EQ(refresh(), 0U) << "there is no folder before the first pod";
  ASSERT_TRUE(files_.make_dirs(folder_.file("results"), 0700).ok());
  folder_.write("results/proa0-a-eth0", std::string(kWhole).substr(0, 200));
  folder_.write("results/proa1-b-eth0", replaced(kWhole, R"("proa0")", R"("proa1")"));
  folder_.write("results/proa0-long-eth0", std::string(17 << 20, ' ') + kWhole);
  ASSERT_EQ(::mkfifo(folder_.file("results/proa0-pipe-eth0").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/proc/kmsg", folder_.file("results/proa0-link-eth0").c_str()), 0);
  EXPECT_EQ(refresh(), 0U);
  folder_.write("results/proa0-a-eth0", kWhole);
  EXPECT_EQ(refresh(), 1U);
  EXPECT_EQ(results_.pods().begin()->second, kPod);
}

// A pod may have annotations of 256 KiB, and one that is not read would not be guarded.
TEST_F(CachedResultsTest, AreReadWhateverThePodIsAnnotatedWith) {
  std::string annotations;
  for (size_t i = 0; i < (256 << 10); ++i) annotations += "\\u003c";
  ASSERT_TRUE(files_.make_dirs(folder_.file("results"), 0700).ok());
  folder_.write("results/proa0-a-eth0", replaced(kWhole, R"({"portMappings":[]})",
                                                 R"({"io.kubernetes.cri.pod-annotations":{"a":")" +
                                                     annotations + R"("}})"));
  EXPECT_EQ(refresh(), 1U);
}

TEST_F(CachedResultsTest, StayAsLongAsTheFileOrTheLink) {
  ASSERT_TRUE(files_.make_dirs(folder_.file("results"), 0700).ok());
  folder_.write("results/proa0-a-eth0", kWhole);
  EXPECT_EQ(refresh(), 1U);
  EXPECT_EQ(refresh({"veth0f3c2a17"}), 1U);
  ASSERT_TRUE(files_.remove(folder_.file("results/proa0-a-eth0")).ok());
  EXPECT_EQ(refresh({"veth0f3c2a17", "vethother"}), 1U);
  EXPECT_EQ(refresh({"vethother"}), 0U);
}

}  // namespace
}  // namespace proa::network
