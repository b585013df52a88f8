#include "proxy/mode_record.h"

#include <gtest/gtest.h>

#include "proxy/iptables/iptables_rules.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/process.h"

namespace proa::proxy {
namespace {

class ModeRecordTest : public testkit::NamespaceTest {
 protected:
  void write_rules(Mode mode) {
    const auto rules = open_rules(mode, clock_);
    ASSERT_TRUE(rules.ok());
    ASSERT_TRUE((*rules)->replace({.name = "here", .zone = "a"}, {}).ok());
  }
  bool has_nftables() { return shell("nft list tables").find("proa-proxy") != std::string::npos; }
  bool has_iptables() { return shell("iptables-save").find("KUBE-SERVICES") != std::string::npos; }
  std::string text() {
    const auto read = files_.read_file(path_, 100);
    return read.ok() ? *read : "";
  }

  SystemFiles files_;
  const testkit::TempDir folder_;
  const std::string path_ = folder_.path() + "/mode";
};

TEST_F(ModeRecordTest, RemovesTheFormerModeAfterTheNewOne) {
  if (!iptables::check_programs().ok()) GTEST_SKIP() << "needs iptables";
  inside([&] {
    ModeRecord first(files_, clock_, path_);
    ASSERT_TRUE(first.begin(Mode::kIptables).ok());
    write_rules(Mode::kIptables);
    first.remove_former();
    EXPECT_EQ(text(), "iptables\n");

    ModeRecord second(files_, clock_, path_);
    ASSERT_TRUE(second.begin(Mode::kNftables).ok());
    EXPECT_TRUE(has_iptables());
    // Also one that ends before it has written anything.
    EXPECT_EQ(text(), "nftables\niptables\n");
    ModeRecord third(files_, clock_, path_);
    ASSERT_TRUE(third.begin(Mode::kNftables).ok());
    write_rules(Mode::kNftables);
    EXPECT_TRUE(has_iptables());
    third.remove_former();
    EXPECT_FALSE(has_iptables());
    EXPECT_TRUE(has_nftables());
    EXPECT_EQ(text(), "nftables\n");
  });
}

TEST_F(ModeRecordTest, RemovesWhatItNames) {
  inside([&] {
    write_rules(Mode::kNftables);
    ModeRecord record(files_, clock_, path_);
    EXPECT_FALSE(record.remove_all().value());
    EXPECT_TRUE(has_nftables());
    ASSERT_TRUE(record.begin(Mode::kNftables).ok());
    EXPECT_TRUE(record.remove_all().value());
    EXPECT_FALSE(has_nftables());
    EXPECT_FALSE(files_.exists(path_).value());
  });
}

TEST_F(ModeRecordTest, IsOfANetworkNamespace) {
  std::string here;
  std::string there;
  inside([&] { here = mode_record_path("/run"); });
  inside(*make_namespace(), [&] { there = mode_record_path("/run"); });
  EXPECT_TRUE(here.starts_with("/run/proa-proxy-")) << here;
  EXPECT_NE(here, there);
  inside([&] { EXPECT_EQ(mode_record_path("/run"), here); });
}

}  // namespace
}  // namespace proa::proxy
