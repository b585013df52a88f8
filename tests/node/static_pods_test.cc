// Static pods from files, and their mirror pods.

#include <fstream>

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

class StaticPodsTest : public SharedCluster {
 protected:
  static void SetUpTestSuite() {
    if (!missing().empty() || Cluster::newest_kubectl().empty()) return;
    folder_ = std::make_unique<e2e::TemporaryFolder>();
    write("first", pod_text("red"));
    cluster_ =
        std::make_unique<Cluster>(std::vector<std::string>{"--pod-manifest-path", folder_->path()});
    name_ = "first-" + cluster_->ask("get nodes -o jsonpath={.items[0].metadata.name}");
  }
  static void TearDownTestSuite() {
    SharedCluster::TearDownTestSuite();
    folder_.reset();
  }

  static std::string pod_text(const std::string& colour, const std::string& name = "first") {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
           ", labels: {app: static}}\nspec: {terminationGracePeriodSeconds: 1, containers: [" +
           container("main", "trap 'exit 0' TERM; sleep 1000 & wait",
                     "env: [{name: COLOUR, value: " + colour + "}]") +
           "]}\n";
  }
  // Renames into place, so that the file is never partial.
  static void write(const std::string& name, const std::string& text) {
    folder_->file("." + name, text);
    std::filesystem::rename(folder_->path() + "/." + name, folder_->path() + "/" + name + ".yaml");
  }
  static void erase(const std::string& name) {
    std::filesystem::remove(folder_->path() + "/" + name + ".yaml");
  }
  static std::string container_id() {
    return field(name_, "status.containerStatuses[0].containerID");
  }
  static std::string pods() {
    return "get pods -l app=static -o jsonpath={.items[*].metadata.name}";
  }

  static inline std::unique_ptr<e2e::TemporaryFolder> folder_;
  static inline std::string name_;
};

TEST_F(StaticPodsTest, RunAndHaveAMirror) {
  ASSERT_TRUE(cluster_->eventually(pods(), name_));
  ASSERT_TRUE(cluster_->wait(name_));
  EXPECT_EQ(field(name_, "metadata.ownerReferences[0].kind"), "Node");
  EXPECT_EQ(field(name_, "metadata.annotations.kubernetes\\.io/config\\.source"), "file");
  EXPECT_EQ(field(name_, "metadata.annotations.kubernetes\\.io/config\\.mirror"),
            field(name_, "metadata.annotations.kubernetes\\.io/config\\.hash"));
  EXPECT_EQ(cluster_->inside(name_, "echo $COLOUR"), "red");
  EXPECT_EQ(cluster_->kubectl("logs " + name_).code, 0);
  // In the API they tolerate all taints of the node.
  EXPECT_EQ(field(name_, "spec.tolerations[0].operator"), "Exists");
}

TEST_F(StaticPodsTest, GoOnWhenTheirMirrorIsDeleted) {
  const std::string container = container_id();
  const std::string uid = field(name_, "metadata.uid");
  cluster_->ask("delete pod " + name_ + " --wait=false");
  ASSERT_TRUE(cluster_->eventually(
      "get pod " + name_ + " --ignore-not-found -o 'jsonpath={.metadata.uid}' | grep -c " +
          "-e . | head -n 1",
      "1"));
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(20), [&] {
    const std::string now =
        cluster_->ask("get pod " + name_ + " --ignore-not-found -o jsonpath={.metadata.uid}");
    return now != uid && !now.empty();
  }));
  ASSERT_TRUE(cluster_->wait(name_));
  EXPECT_EQ(container_id(), container);
}

TEST_F(StaticPodsTest, ABrokenFileLeavesTheOthersAlone) {
  const std::string container = container_id();
  write("broken", "apiVersion: v1\nkind: [Pod");
  write("nothing", "");
  write("of-another-kind", "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n");
  write("invalid", "apiVersion: v1\nkind: Pod\nmetadata: {name: Bad_Name}\nspec: {}\n");
  write("second", pod_text("green", "second"));
  const std::string second = "second" + name_.substr(5);
  ASSERT_TRUE(cluster_->eventually(pods(), name_ + " " + second));
  EXPECT_TRUE(cluster_->wait(second));
  EXPECT_EQ(container_id(), container);
  erase("second");
  EXPECT_TRUE(cluster_->eventually(pods(), name_));
}

TEST_F(StaticPodsTest, AreReplacedWhenTheirFileChanges) {
  const std::string container = container_id();
  const std::string hash = field(name_, "metadata.annotations.kubernetes\\.io/config\\.hash");
  write("first", pod_text("blue"));
  ASSERT_TRUE(cluster_->eventually(
      "get pod " + name_ + " -o 'jsonpath={.spec.containers[0].env[0].value}'", "blue"));
  ASSERT_TRUE(cluster_->wait(name_));
  EXPECT_EQ(cluster_->inside(name_, "echo $COLOUR"), "blue");
  EXPECT_NE(container_id(), container);
  EXPECT_NE(field(name_, "metadata.annotations.kubernetes\\.io/config\\.hash"), hash);
}

TEST_F(StaticPodsTest, AreStillThereAfterARestart) {
  const std::string container = container_id();
  const std::string uid = field(name_, "metadata.uid");
  cluster_->stop(SIGKILL);
  cluster_->start();
  ASSERT_TRUE(cluster_->wait(name_));
  EXPECT_EQ(container_id(), container);
  EXPECT_EQ(field(name_, "metadata.uid"), uid);
  EXPECT_EQ(field(name_, "status.containerStatuses[0].restartCount"), "0");
}

TEST_F(StaticPodsTest, GoWithTheirFile) {
  erase("first");
  EXPECT_TRUE(cluster_->eventually(pods(), ""));
  const e2e::Outcome left =
      e2e::run_shell("for i in $(seq 50); do ctr -a " + cluster_->socket() +
                     " -n k8s.io containers ls -q | grep -c . || exit 0; sleep 0.2; done; exit 1");
  EXPECT_EQ(left.code, 0) << left.text;
}

TEST_F(StaticPodsTest, GoThoughTheirFileWentWhileNobodyLooked) {
  write("third", pod_text("grey", "third"));
  const std::string third = "third" + name_.substr(5);
  ASSERT_TRUE(cluster_->eventually(pods(), third));
  ASSERT_TRUE(cluster_->wait(third));
  cluster_->stop(SIGTERM);
  erase("third");
  cluster_->start();
  EXPECT_TRUE(cluster_->eventually(pods(), ""));
}

}  // namespace
}  // namespace proa::node_tests
