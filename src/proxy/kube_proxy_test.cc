#include "proxy/kube_proxy.h"

#include <gtest/gtest.h>

#include <thread>

#include "proxy/iptables/iptables_rules.h"
#include "proxy/mode_record.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/process.h"

namespace proa::proxy {
namespace {

class KubeProxyTest : public testkit::NamespaceTest {
 protected:
  void leave_tables() {
    for (const char* family : {"ip", "ip6"}) {
      const std::string table = std::string(family) + " kube-proxy";
      shell("nft add table " + table);
      shell("nft add chain " + table + " services");
      shell("nft add chain " + table +
            " nat-prerouting '{ type nat hook prerouting priority -100; }'");
      shell("nft add rule " + table + " nat-prerouting jump services");
    }
  }
  // kube-proxy's mode iptables has the chains of ours.
  void leave_chains() {
    const auto rules = open_rules(Mode::kIptables, clock_);
    ASSERT_TRUE(rules.ok());
    ASSERT_TRUE((*rules)->replace({.name = "here", .zone = "a"}, {}).ok());
  }
  bool has_tables() { return shell("nft list tables").find("kube-proxy") != std::string::npos; }
  bool has_chains() { return shell("iptables-save").find("KUBE-SERVICES") != std::string::npos; }

  SystemFiles files_;
};

TEST_F(KubeProxyTest, RulesThatItLeftAreRemovedOnceItsPortsAreOurs) {
  if (!iptables::check_programs().ok()) GTEST_SKIP() << "needs iptables";
  inside([&] {
    leave_tables();
    leave_chains();
    shell("nft add table ip other");
    KubeProxyTakeover takeover(files_, clock_, Mode::kNftables);
    EXPECT_FALSE(takeover.run(false));
    EXPECT_TRUE(has_tables());
    EXPECT_TRUE(has_chains());
    EXPECT_TRUE(takeover.run(true));
    EXPECT_FALSE(has_tables());
    EXPECT_FALSE(has_chains());
    EXPECT_NE(shell("nft list tables").find("table ip other"), std::string::npos);
    EXPECT_TRUE(takeover.run(true));
  });
}

TEST_F(KubeProxyTest, ChainsStayWhereTheyAreOurOwn) {
  if (!iptables::check_programs().ok()) GTEST_SKIP() << "needs iptables";
  inside([&] {
    leave_tables();
    leave_chains();
    EXPECT_TRUE(KubeProxyTakeover(files_, clock_, Mode::kIptables).run(true));
    EXPECT_FALSE(has_tables());
    EXPECT_TRUE(has_chains());
  });
}

TEST_F(KubeProxyTest, IsFoundByItsNameInItsOwnNetworkOnly) {
  const testkit::TempDir folder;
  const std::string program = folder.path() + "/kube-proxy";
  shell("cp $(command -v sleep) " + program);
  inside([&] {
    leave_tables();
    EXPECT_FALSE(kube_proxy_runs(files_));
    const std::string id = shell(program + " 60 >/dev/null 2>&1 & echo -n $!");
    // The shell has forked, but may not have started the program yet.
    while (files_.read_file("/proc/" + id + "/comm", 64).value() != "kube-proxy\n") {
      std::this_thread::yield();
    }
    EXPECT_TRUE(kube_proxy_runs(files_));
    EXPECT_FALSE(KubeProxyTakeover(files_, clock_, Mode::kNftables).run(true));
    EXPECT_TRUE(has_tables());
    inside(*make_namespace(), [&] { EXPECT_FALSE(kube_proxy_runs(files_)); });
    shell("kill " + id);
  });
}

}  // namespace
}  // namespace proa::proxy
