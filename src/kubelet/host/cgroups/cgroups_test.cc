#include "kubelet/host/cgroups/cgroups.h"

#include <gtest/gtest.h>

#include <limits>

#include "testkit/kubelet/fake_cgroup_hierarchy.h"

namespace proa::kubelet {
namespace {

constexpr int64_t kMega = 1024 * 1024;
using Content = FakeHierarchy::Content;

std::vector<api::Uid> uids(std::initializer_list<const char*> texts) {
  return {texts.begin(), texts.end()};
}

PodPtr make_pod(const std::string& uid, const std::string& requests, const std::string& limits) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"a","uid":")" + uid +
                                      R"("},"spec":{"containers":[{"resources":{"requests":{)" +
                                      requests + R"(},"limits":{)" + limits + R"(}}}]}})"),
                    Pod::Source::kApi);
}
const std::string kOne = R"("cpu":"1","memory":"100Mi")";
const std::string kTwo = R"("cpu":"2","memory":"200Mi")";

// A machine of version 1 with the hierarchies that matter.
struct V1 {
  FakeHierarchy* cpu = new FakeHierarchy(Content{
      {"cpu.shares", "1000\n"}, {"cpu.cfs_period_us", "50000\n"}, {"cpu.cfs_quota_us", "-1\n"}});
  FakeHierarchy* memory = new FakeHierarchy(Content{
      {"memory.limit_in_bytes", "9223372036854771712\n"}, {"memory.usage_in_bytes", "0\n"}});
  FakeHierarchy* cpuset =
      new FakeHierarchy(Content{{"cpuset.cpus", "\n"}, {"cpuset.mems", "\n"}},
                        Content{{"cpuset.cpus", "0-1\n"}, {"cpuset.mems", "0\n"}});
  FakeHierarchy* pids = new FakeHierarchy(Content{{"pids.max", "max\n"}});

  std::unique_ptr<Cgroups> open(CgroupLayout layout = {}, FakeHierarchy* freezer = nullptr) {
    std::vector<V1Hierarchy> hierarchies(4);
    hierarchies[0] = {{"cpu", "cpuacct"}, std::unique_ptr<Hierarchy>(cpu)};
    hierarchies[1] = {{"memory"}, std::unique_ptr<Hierarchy>(memory)};
    hierarchies[2] = {{"cpuset"}, std::unique_ptr<Hierarchy>(cpuset)};
    hierarchies[3] = {{"pids"}, std::unique_ptr<Hierarchy>(pids)};
    if (freezer != nullptr) {
      hierarchies.push_back({{"freezer"}, std::unique_ptr<Hierarchy>(freezer)});
    }
    return make_cgroups(*make_tree_v1(std::move(hierarchies)), std::move(layout));
  }
};

struct V2 {
  FakeHierarchy* all =
      new FakeHierarchy(Content{{"cpu.weight", "100\n"},
                                {"cpu.max", "max 100000\n"},
                                {"memory.max", "max\n"},
                                {"memory.current", "0\n"},
                                {"pids.max", "max\n"},
                                {"hugetlb.2MB.max", "max\n"},
                                {"cgroup.controllers", "cpu memory pids hugetlb\n"},
                                {"cgroup.subtree_control", "\n"}});
  std::unique_ptr<Cgroups> open(CgroupLayout layout = {}) {
    return make_cgroups(*make_tree_v2(std::unique_ptr<Hierarchy>(all)), std::move(layout));
  }
};

TEST(CgroupsV1, AreLaidOutAsUpstreamLaysThemOut) {
  V1 machine;
  const auto cgroups = machine.open({.max_pids = 4000});
  EXPECT_FALSE(cgroups->is_v2());
  ASSERT_TRUE(cgroups->set_up(1024 * kMega, 4000).ok());
  EXPECT_EQ(machine.cpu->get("kubepods", "cpu.shares"), "4096");
  EXPECT_EQ(machine.memory->get("kubepods", "memory.limit_in_bytes"), "1073741824");
  EXPECT_EQ(machine.pids->get("kubepods", "pids.max"), "4000");
  EXPECT_EQ(machine.cpu->get("kubepods/besteffort", "cpu.shares"), "2");
  EXPECT_EQ(machine.cpuset->get("kubepods/burstable", "cpuset.cpus"), "0-1");
  EXPECT_EQ(machine.cpuset->get("kubepods/burstable", "cpuset.mems"), "0");

  EXPECT_EQ(*cgroups->ensure(*make_pod("g-1", kOne, kOne)), "/kubepods/podg-1");
  EXPECT_EQ(machine.cpu->get("kubepods/podg-1", "cpu.shares"), "1024");
  EXPECT_EQ(machine.cpu->get("kubepods/podg-1", "cpu.cfs_quota_us"), "100000");
  EXPECT_EQ(machine.cpu->get("kubepods/podg-1", "cpu.cfs_period_us"), "100000");
  EXPECT_EQ(machine.memory->get("kubepods/podg-1", "memory.limit_in_bytes"), "104857600");
  EXPECT_EQ(*cgroups->ensure(*make_pod("b-1", kOne, "")), "/kubepods/burstable/podb-1");
  EXPECT_EQ(machine.cpu->get("kubepods/burstable/podb-1", "cpu.cfs_quota_us"), "-1\n");
  EXPECT_EQ(*cgroups->ensure(*make_pod("e-1", "", "")), "/kubepods/besteffort/pode-1");
  EXPECT_EQ(machine.cpu->get("kubepods/besteffort/pode-1", "cpu.shares"), "2");
  EXPECT_TRUE(machine.pids->has("kubepods/besteffort/pode-1"));
  EXPECT_EQ(*cgroups->pods(), uids({"b-1", "e-1", "g-1"}));
}

TEST(CgroupsV1, GoFromEveryHierarchy) {
  V1 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->set_up(kMega, 1000).ok());
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, "")).ok());
  ASSERT_TRUE(machine.memory->make("kubepods/burstable/podb/container").ok());
  // Half a removal of somebody else's.
  ASSERT_TRUE(machine.cpu->remove("kubepods/burstable/podb").ok());
  EXPECT_EQ(*cgroups->pods(), uids({"b"}));
  ASSERT_TRUE(cgroups->remove(api::UidView("b")).ok());
  EXPECT_TRUE(cgroups->pods()->empty());
  EXPECT_TRUE(cgroups->remove(api::UidView("b")).ok());
  ASSERT_TRUE(cgroups->remove_all().ok());
  EXPECT_EQ(machine.memory->size() + machine.cpu->size() + machine.cpuset->size(), 0u);
}

TEST(CgroupsV1, WhatWasFrozenGoesOn) {
  auto* freezer = new FakeHierarchy(Content{{"freezer.state", "THAWED\n"}}, Content{{"x", ""}});
  V1 machine;
  const auto cgroups = machine.open({}, freezer);
  ASSERT_TRUE(cgroups->ensure(*make_pod("a", "", "")).ok());
  const std::string inside = "kubepods/besteffort/poda/container";
  ASSERT_TRUE(freezer->make(inside).ok());
  freezer->put(inside, "freezer.state", "FREEZING\n");
  ASSERT_TRUE(cgroups->thaw(api::UidView("a")).ok());
  EXPECT_EQ(freezer->get(inside, "freezer.state"), "THAWED");
  EXPECT_TRUE(cgroups->thaw(api::UidView("never-made")).ok());
}

TEST(CgroupsV2, WhatWasFrozenGoesOn) {
  V2 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->ensure(*make_pod("a", "", "")).ok());
  machine.all->put("kubepods/besteffort/poda", "cgroup.freeze", "1\n");
  ASSERT_TRUE(cgroups->thaw(api::UidView("a")).ok());
  EXPECT_EQ(machine.all->get("kubepods/besteffort/poda", "cgroup.freeze"), "0");
}

// As where another kubelet has pods below the same root.
TEST(Cgroups, OfOthersStayWhenOwnOnesAreRemoved) {
  V1 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->set_up(kMega, 1000).ok());
  for (const char* uid : {"own", "other"})
    ASSERT_TRUE(cgroups->ensure(*make_pod(uid, "", "")).ok());
  const std::string inside = "kubepods/besteffort/podother/container";
  ASSERT_TRUE(machine.memory->make(inside).ok());
  machine.memory->put(inside, "cgroup.procs", "1\n");
  ASSERT_TRUE(cgroups->remove_own(uids({"own", "never-made"})).ok());
  EXPECT_EQ(*cgroups->pods(), uids({"other"}));
  // What is left of one that was half removed.
  machine.memory->put(inside, "cgroup.procs", "");
  ASSERT_TRUE(cgroups->remove_own({}).ok());
  EXPECT_EQ(machine.memory->size() + machine.cpu->size() + machine.cpuset->size(), 0u);
}

TEST(CgroupsV1, NeedControllers) {
  std::vector<V1Hierarchy> none;
  EXPECT_TRUE(make_tree_v1(std::move(none)).is(Reason::kServiceUnavailable));
}

TEST(CgroupsV2, AreLaidOutAsUpstreamLaysThemOut) {
  V2 machine;
  const auto cgroups = machine.open({.root = "/node/a/", .huge_page_sizes = {"2MB"}});
  EXPECT_TRUE(cgroups->is_v2());
  ASSERT_TRUE(cgroups->set_up(1024 * kMega, 4000).ok());
  for (const char* path : {"", "node", "node/a", "node/a/kubepods"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(machine.all->get(path, "cgroup.subtree_control"), "+cpu +memory +pids +hugetlb");
  }
  const std::string top = "node/a/kubepods";
  EXPECT_EQ(machine.all->get(top, "cpu.weight"), "157");
  EXPECT_EQ(machine.all->get(top, "memory.max"), "1073741824");
  EXPECT_EQ(machine.all->get(top, "pids.max"), "max\n");

  EXPECT_EQ(*cgroups->ensure(*make_pod("b", kOne, kTwo)), "/node/a/kubepods/burstable/podb");
  const std::string pod = top + "/burstable/podb";
  EXPECT_EQ(machine.all->get(pod, "cpu.weight"), "39");
  EXPECT_EQ(machine.all->get(pod, "cpu.max"), "200000 100000");
  EXPECT_EQ(machine.all->get(pod, "memory.max"), "209715200");
  EXPECT_EQ(machine.all->get(pod, "hugetlb.2MB.max"), "0");
  ASSERT_TRUE(cgroups->remove(api::UidView("b")).ok());
  EXPECT_FALSE(machine.all->has(pod));
}

TEST(CgroupsV2, NeedControllers) {
  auto bare = std::make_unique<FakeHierarchy>(Content{{"cgroup.controllers", "cpu pids\n"}});
  EXPECT_TRUE(make_tree_v2(std::move(bare)).is(Reason::kServiceUnavailable));
}

TEST(Cgroups, AreLeftAloneWhenNothingChanged) {
  V2 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->set_up(kMega, 1000).ok());
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, kTwo)).ok());
  // The fake does not take the plus signs away as the kernel does.
  for (const char* path : {"", "kubepods", "kubepods/burstable"})
    machine.all->put(path, "cgroup.subtree_control", "cpu memory pids hugetlb");
  const int before = machine.all->writes();
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, kTwo)).ok());
  EXPECT_EQ(machine.all->writes(), before);
}

TEST(Cgroups, KeepTheBoundOfMemoryThatIsInUse) {
  V2 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, kTwo)).ok());
  machine.all->put("kubepods/burstable/podb", "memory.current", "150000000\n");
  const auto shrunk = cgroups->ensure(*make_pod("b", R"("cpu":"1")", kOne));
  ASSERT_TRUE(shrunk.is(Reason::kConflict));
  EXPECT_EQ(shrunk.status().message(),
            "attempting to set pod memory limit (104857600) below current usage (150000000)");
  EXPECT_EQ(machine.all->get("kubepods/burstable/podb", "memory.max"), "209715200");
  EXPECT_EQ(machine.all->get("kubepods/burstable/podb", "cpu.max"), "100000 100000");
}

// What is in it has its share of what there was: only a resize changes that.
TEST(Cgroups, AreLeftAsTheyAreWhileSomethingIsInThem) {
  V2 machine;
  const auto cgroups = machine.open();
  const std::string pod = "kubepods/burstable/podb";
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, kTwo)).ok());
  ASSERT_TRUE(machine.all->make(pod + "/container").ok());
  ASSERT_TRUE(cgroups->ensure(*make_pod("b", kOne, kOne)).ok());
  EXPECT_EQ(machine.all->get(pod, "cpu.max"), "200000 100000");
  ASSERT_TRUE(cgroups->resize(*make_pod("b", R"("cpu":"1")", kOne), Change::kLower).ok());
  EXPECT_EQ(machine.all->get(pod, "cpu.max"), "100000 100000");
}

const std::string kMoreCpu = R"("cpu":"2","memory":"50Mi")";

TEST(CgroupsV1, GrowFirstAndShrinkLast) {
  V1 machine;
  const auto cgroups = machine.open();
  const std::string pod = "kubepods/podg";
  ASSERT_TRUE(cgroups->ensure(*make_pod("g", kOne, kOne)).ok());
  const PodPtr resized = make_pod("g", kMoreCpu, kMoreCpu);
  ASSERT_TRUE(cgroups->resize(*resized, Change::kRaise).ok());
  EXPECT_EQ(machine.cpu->get(pod, "cpu.cfs_quota_us"), "200000");
  EXPECT_EQ(machine.cpu->get(pod, "cpu.shares"), "2048");
  EXPECT_EQ(machine.memory->get(pod, "memory.limit_in_bytes"), "104857600") << "shrinks";
  ASSERT_TRUE(cgroups->resize(*resized, Change::kLower).ok());
  EXPECT_EQ(machine.memory->get(pod, "memory.limit_in_bytes"), "52428800");
  EXPECT_EQ(machine.cpu->get(pod, "cpu.cfs_quota_us"), "200000");

  const PodPtr again = make_pod("g", kOne, kOne);
  ASSERT_TRUE(cgroups->resize(*again, Change::kRaise).ok());
  EXPECT_EQ(machine.cpu->get(pod, "cpu.cfs_quota_us"), "200000") << "shrinks";
  EXPECT_EQ(machine.memory->get(pod, "memory.limit_in_bytes"), "104857600");
  ASSERT_TRUE(cgroups->resize(*again, Change::kLower).ok());
  EXPECT_EQ(machine.cpu->get(pod, "cpu.cfs_quota_us"), "100000");
  EXPECT_EQ(machine.cpu->get(pod, "cpu.shares"), "1024");
}

TEST(CgroupsV2, GrowFirstAndShrinkLast) {
  V2 machine;
  const auto cgroups = machine.open();
  const std::string pod = "kubepods/podg";
  ASSERT_TRUE(cgroups->ensure(*make_pod("g", kOne, kOne)).ok());
  const PodPtr resized = make_pod("g", kMoreCpu, kMoreCpu);
  ASSERT_TRUE(cgroups->resize(*resized, Change::kRaise).ok());
  EXPECT_EQ(machine.all->get(pod, "cpu.max"), "200000 100000");
  EXPECT_EQ(machine.all->get(pod, "cpu.weight"), "79");
  EXPECT_EQ(machine.all->get(pod, "memory.max"), "104857600") << "shrinks";
  ASSERT_TRUE(cgroups->resize(*resized, Change::kLower).ok());
  EXPECT_EQ(machine.all->get(pod, "memory.max"), "52428800");
  EXPECT_EQ(machine.all->get(pod, "cpu.max"), "200000 100000");
}

// No bound is more than any.
TEST(Cgroups, ShrinkWhenABoundIsAdded) {
  V1 first;
  V2 second;
  const auto v1 = first.open();
  const auto v2 = second.open();
  const PodPtr unbounded = make_pod("b", kOne, "");
  const PodPtr bounded = make_pod("b", kOne, kTwo);
  for (const auto& cgroups : {v1.get(), v2.get()}) {
    ASSERT_TRUE(cgroups->ensure(*unbounded).ok());
    ASSERT_TRUE(cgroups->resize(*bounded, Change::kRaise).ok());
  }
  const std::string pod = "kubepods/burstable/podb";
  EXPECT_EQ(first.cpu->get(pod, "cpu.cfs_quota_us"), "-1\n");
  EXPECT_EQ(second.all->get(pod, "cpu.max"), "max 100000\n");
  for (const auto& cgroups : {v1.get(), v2.get()})
    ASSERT_TRUE(cgroups->resize(*bounded, Change::kLower).ok());
  EXPECT_EQ(first.cpu->get(pod, "cpu.cfs_quota_us"), "200000");
  EXPECT_EQ(second.all->get(pod, "cpu.max"), "200000 100000");
  EXPECT_EQ(second.all->get(pod, "memory.max"), "209715200");
}

TEST(Cgroups, TellWhatAPodIsHeldTo) {
  V1 first;
  V2 second;
  const auto v1 = first.open();
  const auto v2 = second.open();
  const PodPtr bounded = make_pod("g", kOne, kOne);
  const PodPtr unbounded = make_pod("b", kOne, "");
  for (const auto& cgroups : {v1.get(), v2.get()}) {
    ASSERT_TRUE(cgroups->ensure(*bounded).ok() && cgroups->ensure(*unbounded).ok());
    EXPECT_EQ(cgroups->values(*bounded)->cpu_quota, 100000);
    EXPECT_EQ(cgroups->values(*bounded)->memory, 104857600);
    EXPECT_EQ(cgroups->values(*unbounded)->cpu_quota, 0);
    EXPECT_EQ(cgroups->values(*unbounded)->memory, 0);
  }
  EXPECT_EQ(v1->values(*bounded)->cpu_shares, 1024);
  EXPECT_EQ(v2->values(*bounded)->cpu_shares, 998) << "weights are coarser";
}

TEST(Cgroups, TellHowMuchMemoryIsUsed) {
  V1 first;
  V2 second;
  const auto v1 = first.open();
  const auto v2 = second.open();
  const PodPtr pod = make_pod("g", kOne, kOne);
  ASSERT_TRUE(v1->ensure(*pod).ok() && v2->ensure(*pod).ok());
  ASSERT_TRUE(first.memory->make("kubepods/podg/c").ok() &&
              second.all->make("kubepods/podg/c").ok());
  first.memory->put("kubepods/podg/c", "memory.usage_in_bytes", "7\n");
  second.all->put("kubepods/podg/c", "memory.current", "7\n");
  for (const auto& cgroups : {v1.get(), v2.get()}) {
    EXPECT_EQ(cgroups->memory(*pod, "")->limit, 104857600);
    EXPECT_EQ(cgroups->memory(*pod, "c")->used, 7);
    EXPECT_TRUE(cgroups->memory(*pod, "gone").is(Reason::kNotFound));
  }
  EXPECT_EQ(v2->memory(*pod, "c")->limit, std::numeric_limits<int64_t>::max());
}

TEST(Cgroups, ShareProcessorsAmongTheQualitiesOfService) {
  V1 machine;
  const auto cgroups = machine.open();
  ASSERT_TRUE(cgroups->set_up(kMega, 8000).ok());
  std::vector<PodPtr> active = {make_pod("1", kOne, ""), make_pod("2", kTwo, ""),
                                make_pod("3", kTwo, kTwo), make_pod("4", "", "")};
  const auto balance = [&] { return cgroups->balance([&active] { return active; }).ok(); };
  ASSERT_TRUE(balance());
  EXPECT_EQ(machine.cpu->get("kubepods/burstable", "cpu.shares"), "3072");
  EXPECT_EQ(machine.cpu->get("kubepods/besteffort", "cpu.shares"), "2");
  active.clear();
  ASSERT_TRUE(balance());
  EXPECT_EQ(machine.cpu->get("kubepods/burstable", "cpu.shares"), "2");
}

TEST(Cgroups, RefuseUidsThatAreNoNames) {
  V1 machine;
  const auto cgroups = machine.open();
  EXPECT_TRUE(cgroups->ensure(*make_pod("../../x", "", "")).is(Reason::kBadRequest));
  EXPECT_TRUE(cgroups->remove(api::UidView()).is(Reason::kBadRequest));
}

TEST(Cgroups, AreNotLeftToSystemd) {
  SystemFiles files;
  EXPECT_TRUE(open_cgroups(files, {.systemd_cgroups = true}).is(Reason::kBadRequest));
}

}  // namespace
}  // namespace proa::kubelet
