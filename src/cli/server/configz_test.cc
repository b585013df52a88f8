#include "cli/server/configz.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/flags/controller_flags.h"
#include "json/parse.h"
#include "scheduler/config/read_config.h"

namespace proa::cli {
namespace {

using api::View;

class ConfigzTest : public testing::Test {
 protected:
  ConfigzTest() {
    for (const std::vector<Flag>& flags : {controller_flags(), scheduler_flags()}) {
      for (const Flag& flag : flags) settings_.set(flag.name, flag.fallback);
    }
    settings_.set("service-cluster-ip-range", "10.96.0.0/16,fd00:10:96::/112");
  }
  json::Document ask() {
    const apiserver::ExtraPath path = configz_path(settings_, scheduler::default_config()).value();
    EXPECT_EQ(path.prefix, "/configz");
    const http::Response response = path.answer({}, {}, {});
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.get("content-type"), "application/json");
    return json::parse(response.body.view()).value();
  }

  Settings settings_;
};

constexpr std::string_view kControllers = "kubecontrollermanager.config.k8s.io";
constexpr std::string_view kScheduler = "kubescheduler.config.k8s.io";

TEST_F(ConfigzTest, HasTheComponentsOfThisProcess) {
  settings_.set("controllers", "job,node-ipam");
  settings_.set("node-monitor-grace-period", "40s");
  const json::Document document = ask();
  const View root(document.root());
  ASSERT_EQ(root.size(), 2U);
  EXPECT_EQ(root[kScheduler]["kind"].text(), "KubeSchedulerConfiguration");
  const View controllers = root[kControllers];
  EXPECT_EQ(controllers["apiVersion"].text(), "kubecontrollermanager.config.k8s.io/v1alpha1");
  EXPECT_EQ(controllers["Generic"]["Controllers"].size(), 2U);
  EXPECT_EQ(controllers["KubeCloudShared"]["ClusterCIDR"].text(), "10.244.0.0/16,fd00:10:244::/48");
  EXPECT_TRUE(controllers["KubeCloudShared"]["AllocateNodeCIDRs"].flag());
  EXPECT_EQ(controllers["NodeIPAMController"]["ServiceCIDR"].text(), "10.96.0.0/16");
  EXPECT_EQ(controllers["NodeIPAMController"]["SecondaryServiceCIDR"].text(), "fd00:10:96::/112");
  EXPECT_EQ(controllers["NodeLifecycleController"]["NodeMonitorGracePeriod"].text(), "40s");
  EXPECT_EQ(controllers["PodGCController"]["TerminatedPodGCThreshold"].integer(), 12500);
}

TEST_F(ConfigzTest, LeavesOutThoseOfOtherProcesses) {
  settings_.set("controllers", "none");
  settings_.set("scheduler", "false");
  const json::Document document = ask();
  EXPECT_EQ(View(document.root()).size(), 0U);
}

}  // namespace
}  // namespace proa::cli
