#include "cli/server/flags/controller_flags.h"

#include <gtest/gtest.h>

#include "controllers/controllers.h"

namespace proa::cli {
namespace {

using controllers::ControllerEntry;

constexpr ControllerEntry kAll[] = {
    {"job", "job-controller", nullptr},
    {"cronjob", "cronjob-controller", nullptr},
    {"namespace", "namespace-controller", nullptr},
};

std::string chosen(std::string_view wanted) {
  const auto entries = choose_controllers(kAll, wanted);
  if (!entries) return entries.status().message();
  std::string names;
  for (const ControllerEntry& entry : *entries) names += std::string(entry.name) + " ";
  return names;
}

TEST(ChooseControllers, TakesWhatIsNamed) {
  EXPECT_EQ(chosen("*"), "job cronjob namespace ");
  EXPECT_EQ(chosen("*, -job"), "cronjob namespace ");
  EXPECT_EQ(chosen("namespace,job"), "job namespace ");
  EXPECT_EQ(chosen("none"), "");
}

TEST(ChooseControllers, KnowsUpstreamsNamesAndFormerOnes) {
  const auto chosen_of_all = [](std::string_view wanted) {
    const auto entries = choose_controllers(controllers::all_controllers(), wanted);
    if (!entries) return entries.status().message();
    std::string names;
    for (const ControllerEntry& entry : *entries) names += std::string(entry.name) + " ";
    return names;
  };
  const struct {
    const char* names;
    const char* chosen;
  } cases[] = {
      {"deployment-controller", "deployment-controller "},
      {"deployment", "deployment-controller "},
      {"nodeipam,nodelifecycle,podgc",
       "node-lifecycle-controller node-ipam-controller pod-garbage-collector-controller "},
      {"node-ipam,endpoint,endpoints", "endpoints-controller node-ipam-controller "},
      {"disruption", "disruption-controller disruption-stale-targets "},
      {"disruption-controller", "disruption-controller disruption-stale-targets "},
      {"csrsigning", "certificatesigningrequest-signing-controller "},
      {"service,serviceaccount", "service-lb-controller serviceaccount-controller "},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(chosen_of_all(c.names), c.chosen) << c.names;
  }
  // All names and former names of upstream's controllers that there are here.
  for (const char* name : {"attachdetach",
                           "bootstrapsigner",
                           "clusterrole-aggregation",
                           "cronjob",
                           "csrapproving",
                           "csrcleaner",
                           "daemonset",
                           "endpointslice",
                           "endpointslicemirroring",
                           "ephemeral-volume",
                           "garbagecollector",
                           "horizontalpodautoscaling",
                           "job",
                           "legacy-service-account-token-cleaner",
                           "namespace",
                           "persistentvolume-binder",
                           "persistentvolume-expander",
                           "pv-protection",
                           "pvc-protection",
                           "replicaset",
                           "replicationcontroller",
                           "resourcequota",
                           "root-ca-cert-publisher",
                           "serviceaccount-token",
                           "statefulset",
                           "tokencleaner",
                           "ttl",
                           "ttl-after-finished"}) {
    const auto entries = choose_controllers(controllers::all_controllers(), name);
    ASSERT_TRUE(entries.ok()) << name;
    EXPECT_EQ(entries->size(), 1U) << name;
    EXPECT_TRUE((*entries)[0].name.ends_with("-controller")) << name;
  }
}

TEST(ControllerFlags, NetworksThatCannotBeSplitAreRefused) {
  struct Case {
    const char* cidr;
    const char* bits;
    const char* flag;  // that the message begins with; empty: accepted
  };
  for (const Case& c : {Case{"", "24", ""}, Case{"10.244.0.0/16", "24", ""},
                        Case{"10.244.0.0/16,fd00:10:244::/48", "24", ""},
                        Case{"10.244.0.0", "24", "--cluster-cidr must be"},
                        Case{"10.244.0.1/16", "24", "--cluster-cidr must be"},
                        Case{"10.244.0.0/16,", "24", "--cluster-cidr must be"},
                        Case{"10.244.0.0/16", "8", "--node-cidr-mask-size 8 cannot split"},
                        Case{"10.0.0.0/8", "25", "--node-cidr-mask-size 25 cannot split"}}) {
    SCOPED_TRACE(std::string(c.cidr) + " " + c.bits);
    Settings settings;
    for (const Flag& flag : controller_flags()) settings.set(flag.name, flag.fallback);
    settings.set("service-cluster-ip-range", "10.96.0.0/16");
    settings.set("cluster-cidr", c.cidr);
    settings.set("node-cidr-mask-size", c.bits);
    controllers::ControllerOptions options;
    const Result<void> read = read_controller_options(settings, options);
    EXPECT_EQ(read.ok(), std::string_view(c.flag).empty());
    if (!read.ok()) {
      EXPECT_TRUE(read.status().message().starts_with(c.flag)) << read.status().message();
    }
  }
}

TEST(ControllerFlags, PodsHaveTheFamiliesOfServices) {
  const struct {
    const char *flag, *services, *expected;
  } cases[] = {{"", "10.96.0.0/16", "10.244.0.0/16"},
               {"", "fd00:96::/112", "fd00:10:244::/48"},
               {"", "fd00:96::/112,10.96.0.0/16", "fd00:10:244::/48,10.244.0.0/16"},
               {"10.1.0.0/16", "fd00:96::/112", "10.1.0.0/16"},
               {"none", "10.96.0.0/16", ""}};
  for (const auto& c : cases) {
    Settings settings;
    settings.set("cluster-cidr", c.flag);
    settings.set("service-cluster-ip-range", c.services);
    EXPECT_EQ(cluster_cidr_of(settings), c.expected);
  }
}

TEST(ControllerFlags, PoolsThatOverlapWithTheClusterAreRefused) {
  for (const auto& [pool, message] :
       {std::pair("nodes", ""), std::pair("192.0.2.0/24", ""),
        std::pair("192.0.2.1", "--load-balancer-pool must be"),
        std::pair("10.244.7.0/24",
                  "--load-balancer-pool 10.244.7.0/24 overlaps with --cluster-cidr 10.244.0.0/16"),
        std::pair("10.96.0.0/24",
                  "--load-balancer-pool 10.96.0.0/24 overlaps with "
                  "--service-cluster-ip-range 10.96.0.0/16")}) {
    SCOPED_TRACE(pool);
    Settings settings;
    for (const Flag& flag : controller_flags()) settings.set(flag.name, flag.fallback);
    settings.set("service-cluster-ip-range", "10.96.0.0/16");
    settings.set("load-balancer-pool", pool);
    controllers::ControllerOptions options;
    const Result<void> read = read_controller_options(settings, options);
    EXPECT_EQ(read.ok() ? "" : read.status().message().substr(0, std::string_view(message).size()),
              message);
    EXPECT_EQ(read.ok(), std::string_view(message).empty());
  }
}

TEST(ChooseControllers, SaysWhatThereIsWhenOneIsUnknown) {
  EXPECT_EQ(chosen("*,-jobs"),
            "--controllers names -jobs, which is not one of: cronjob, job, namespace");
}

}  // namespace
}  // namespace proa::cli
