#include "kubelet/runtime/containerd/bundles.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testkit/process.h"

namespace proa::kubelet {
namespace {

class BundlesTest : public testing::Test {
 protected:
  std::string make(const std::string& name, const std::string& pid = "") {
    const std::string bundle = folder_.file("k8s.io/" + name);
    EXPECT_TRUE(files_.make_dirs(bundle + "/rootfs", 0700).ok());
    if (!pid.empty()) folder_.write("k8s.io/" + name + "/init.pid", pid);
    return bundle;
  }

  SystemFiles files_;
  const testkit::TempDir folder_;
};

TEST_F(BundlesTest, FirstProcessesAreThoseThatAreNoted) {
  make("a", "12");
  make("b", "34\n");
  make("begun");
  make("torn", "x");
  EXPECT_EQ(first_processes(files_, folder_.path()).value(), (std::set<int64_t>{12, 34}));
}

TEST_F(BundlesTest, NothingWasStartedWhereThereIsNoFolder) {
  EXPECT_TRUE(first_processes(files_, folder_.file("nowhere")).value().empty());
  EXPECT_EQ(remove_stray_bundles(files_, folder_.file("nowhere")).value(), 0u);
}

// Who takes that for "no processes" would end what runs.
TEST_F(BundlesTest, WhatCannotBeReadIsAFailure) {
  const std::string bundle = make("a");
  EXPECT_TRUE(files_.make_dirs(bundle + "/init.pid", 0700).ok());
  EXPECT_FALSE(first_processes(files_, folder_.path()).ok());
}

TEST_F(BundlesTest, OnlyThoseThatWereComingOrGoingAreRemoved) {
  const std::string runs = make("runs", "12");
  const std::string made = make("made");
  folder_.write("k8s.io/made/runtime", "runc");
  const std::string begun = make("begun");
  const std::string goes = make(".goes", "34");
  EXPECT_EQ(remove_stray_bundles(files_, folder_.path()).value(), 2u);
  EXPECT_TRUE(files_.exists(runs).value());
  EXPECT_TRUE(files_.exists(made).value());
  EXPECT_FALSE(files_.exists(begun).value());
  EXPECT_FALSE(files_.exists(goes).value());
}

}  // namespace
}  // namespace proa::kubelet
