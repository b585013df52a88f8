#include "kubelet/pod/volumes/plugins/empty_dir.h"

#include "json/parse.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/pod/volumes/plugins/content_volume.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::make_pod;

TEST(MemoryVolumeSize, IsTheLeastOfNodePodAndVolume) {
  struct Case {
    const char* name;
    const char* spec;
    const char* limit;
    int64_t size;
  };
  const char* two =
      R"({"containers":[{"resources":{"limits":{"memory":"100"}}},{"resources":{"limits":{"memory":"200"}}}]})";
  const char* one =
      R"({"containers":[{"resources":{"limits":{"memory":"100"}}},{"resources":{"limits":{"cpu":"1"}}}]})";
  for (const Case& c : {
           Case{"node", R"({"containers":[{}]})", "null", 1000},
           Case{"pod", two, "null", 300},
           Case{"a container without limit", one, "null", 1000},
           Case{"volume", two, R"("50")", 50},
           Case{"volume wants more than the pod has", two, R"("400")", 300},
           Case{"volume says zero", two, R"("0")", 300},
           Case{"pod's own limit", R"({"resources":{"limits":{"memory":"10"}},"containers":[{}]})",
                "null", 10},
           Case{"an init container without limit",
                R"({"containers":[{"resources":{"limits":{"memory":"1"}}}],"initContainers":[{}]})",
                "null", 1000},
       }) {
    SCOPED_TRACE(c.name);
    PodFacts facts;
    facts.allocatable_memory = api::Quantity(1000);
    const json::Document limit = *json::parse(c.limit);
    EXPECT_EQ(memory_volume_size(*make_pod(c.spec), facts, limit.root()), c.size);
  }
}

TEST(HugePageSize, IsWhatThePodAskedFor) {
  const auto requests = [](const std::string& list) {
    return R"({"containers":[{"resources":{"requests":{)" + list + "}}}]}";
  };
  struct Case {
    const char* name;
    std::string spec;
    const char* medium;
    const char* expected;
  };
  for (const Case& c : {
           Case{"any", requests(R"("hugepages-2Mi":"4Mi")"), "HugePages", "2Mi"},
           Case{"named", requests(R"("hugepages-2Mi":"4Mi","hugepages-1Gi":"1Gi")"),
                "HugePages-1Gi", "1Gi"},
           Case{"two sizes", requests(R"("hugepages-2Mi":"4Mi","hugepages-1Gi":"1Gi")"),
                "HugePages",
                "medium: HugePages can't be used if container requests multiple huge page sizes"},
           Case{"another size", requests(R"("hugepages-2Mi":"4Mi")"), "HugePages-1Gi",
                "medium HugePages-1Gi: hugePages storage requested, but there is no resource "
                "request for huge pages"},
           Case{"none", requests(R"("cpu":"1")"), "HugePages",
                "medium HugePages: hugePages storage requested, but there is no resource request "
                "for huge pages"},
       }) {
    SCOPED_TRACE(c.name);
    const Result<std::string> size = huge_page_size(*make_pod(c.spec), c.medium);
    EXPECT_EQ(size.ok() ? *size : size.status().message(), c.expected);
  }
}

TEST(ExceededEmptyDir, NamesTheFirstThatHoldsTooMuch) {
  const testing::TemporaryFolder folder;
  const Paths paths(folder.path(), folder.path());
  const PodPtr pod = make_pod(
      R"({"volumes":[{"name":"free","emptyDir":{}},{"name":"none","emptyDir":{"sizeLimit":"1"}},)"
      R"({"name":"small","emptyDir":{"sizeLimit":"1Mi"}}]})");
  for (const char* name : {"free", "small"}) {
    ASSERT_TRUE(make_folders(paths.volume(pod->uid(), "empty-dir", name), 0755).ok());
  }
  const std::string small = paths.volume(pod->uid(), "empty-dir", "small");
  testing::put_file(paths.volume(pod->uid(), "empty-dir", "free") + "/f",
                    std::string(2 << 20, 'x'));
  testing::put_file(small + "/f", std::string(512 << 10, 'x'));
  EXPECT_EQ(*exceeded_empty_dir(*pod, paths), "");
  testing::put_file(small + "/g", std::string(600 << 10, 'x'));
  EXPECT_EQ(*exceeded_empty_dir(*pod, paths),
            "Usage of EmptyDir volume \"small\" exceeds the limit \"1Mi\". ");
}

TEST(NestedMountPoints, AreTheOutermostInsideOfAVolume) {
  struct Case {
    const char* name;
    std::vector<std::pair<std::string, std::string>> mounts;  // volume, path
    std::vector<std::string> expected;
  };
  for (const Case& c : {
           Case{"none", {{"v", "/dir"}, {"w", "/dir2"}}, {}},
           Case{"one", {{"v", "/dir"}, {"w", "/dir/nested"}}, {"nested"}},
           Case{"deep", {{"v", "/dir"}, {"w", "/dir/a/b/"}}, {"a/b"}},
           Case{
               "double",
               {{"v", "/dir"}, {"w", "/dir/nested"}, {"x", "/dir/nested/d"}, {"y", "/dir/nested2"}},
               {"nested", "nested2"}},
           Case{"climbing", {{"v", "/dir"}, {"w", "/dir/../dir/x/../y"}}, {"y"}},
           Case{"only others are nested", {{"w", "/dir"}, {"v", "/dir/v"}}, {}},
       }) {
    SCOPED_TRACE(c.name);
    std::string mounts;
    for (const auto& [volume, path] : c.mounts) {
      mounts += (mounts.empty() ? "" : ",");
      mounts += R"({"name":")" + volume + R"(","mountPath":")" + path + R"("})";
    }
    const PodPtr pod = make_pod(R"({"containers":[{"volumeMounts":[)" + mounts + "]}]}");
    EXPECT_EQ(*nested_mount_points(*pod, "v"), c.expected);
  }
  const PodPtr evil =
      make_pod(R"({"containers":[{"volumeMounts":[{"name":"v","mountPath":"../x"}]}]})");
  EXPECT_FALSE(nested_mount_points(*evil, "v").ok());
}

}  // namespace
}  // namespace proa::kubelet
