// Events of a pod have a budget. A condition that lasts is recorded once.
#include <gtest/gtest.h>

#include <algorithm>

#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using testkit::WorkerWorld;

class PodEventsTest : public testing::Test {
 protected:
  // Events with this text since the last call, repeated ones included.
  int64_t count(std::string_view text) {
    const std::vector<std::string> told = world.events.take();
    return std::count_if(told.begin(), told.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }

  WorkerWorld world;
};

TEST_F(PodEventsTest, WarnOfTooManyNameServersOnce) {
  world.put("web", R"({"dnsPolicy":"None","containers":[{"name":"a","image":"i"}],
      "dnsConfig":{"nameservers":["1.1.1.1","2.2.2.2","3.3.3.3","4.4.4.4"]}})");
  world.work();
  for (int i = 0; i < 3; ++i) {
    world.fake.finish(world.fake.newest("a"), 1);
    world.work();
    EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
  }
  EXPECT_EQ(count("Nameserver limits"), 1);
}

TEST_F(PodEventsTest, WarnOfAMissingClusterDnsOfPodAndNodeOnce) {
  world.options.cluster_dns.clear();
  world.put("web", R"({"dnsPolicy":"ClusterFirst","containers":[{"name":"a","image":"i"}]})");
  world.work();
  world.fake.kill_sandbox(world.fake.newest_sandbox("web"));
  world.work();
  EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
  EXPECT_EQ(count("kubelet does not have ClusterDNS IP configured"), 2);
}

TEST_F(PodEventsTest, MissNoClusterDnsThatIsAService) {
  world.options.cluster_dns.clear();
  world.options.dns_service = true;
  world.services_synced = false;
  world.put("web", R"({"dnsPolicy":"ClusterFirst","containers":[{"name":"a","image":"i"}]})");
  world.work();
  EXPECT_EQ(world.running("a"), 0U);
  world.services = {
      api::Object::make(R"({"metadata":{"namespace":"kube-system","name":"kube-dns"},)"
                        R"("spec":{"clusterIPs":["10.96.0.53"]}})")};
  world.services_synced = true;
  EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
  const std::string config = world.fake.config_of(world.fake.newest_sandbox("web"));
  EXPECT_NE(config.find("10.96.0.53"), std::string::npos) << config;
  EXPECT_EQ(count("kubelet does not have ClusterDNS IP configured"), 0);
}

TEST_F(PodEventsTest, RecordTheReplacementOfASandboxOnce) {
  world.put("web", R"({"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]})");
  world.work();
  for (int i = 0; i < 2; ++i) {
    for (int failures = 0; failures < 3; ++failures) {
      world.fake.fail_next("stop_sandbox", Status(Reason::kInternalError, "busy"));
    }
    world.fake.kill_sandbox(world.fake.newest_sandbox("web"));
    world.work();
    EXPECT_TRUE(
        world.work_until([&] { return world.running("a") == 1 && world.running("b") == 1; }));
    EXPECT_EQ(count("Pod sandbox changed"), 1) << i;
  }
}

}  // namespace
}  // namespace proa::kubelet
