#include "api/typed/verify.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/decode.h"

namespace proa::api {
namespace verify_test {

using Problems = std::vector<std::string>;

struct Meta {
  Uid uid;
  std::optional<Time> deleted;
};
constexpr FieldEntry kMetaEntries[] = {entry<&Meta::uid>("uid"),
                                       entry<&Meta::deleted>("deletionTimestamp")};

struct Mistaken {
  int64_t number = 0;
  std::string text;
  std::vector<std::string> texts;
  LabelSelector selector;
};

struct Status {
  std::string_view phase;
  static const FieldTable& table() {
    static constexpr FieldEntry kEntries[] = {entry<&Status::phase>("phase")};
    static constexpr FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
    return kTable;
  }
};
struct Holder {
  Status status;
  std::vector<Status> statuses;
};

struct Keys {
  std::string_view note;
  static const FieldTable& table() {
    static constexpr FieldEntry kEntries[] = {entry<&Keys::note>("example.com/note")};
    static constexpr FieldTable kTable{.types = FieldTable::kMap, .entries = kEntries};
    return kTable;
  }
};
struct Annotated {
  Keys annotations;
};

Problems problems(std::string_view types, std::span<const FieldEntry> entries) {
  const FieldTable table{.types = types, .entries = entries};
  return verify(table, builtin_schema());
}

}  // namespace verify_test
using namespace verify_test;

TEST(Verify, AcceptsFieldsOfTheSchema) {
  EXPECT_EQ(problems("meta.k8s.io/v1/ObjectMeta", kMetaEntries), Problems{});
  const FieldEntry status[] = {entry<&Holder::status>("status")};
  EXPECT_EQ(problems("v1/Pod", status), Problems{});
  const FieldEntry keys[] = {entry<&Annotated::annotations>("annotations")};
  EXPECT_EQ(problems("meta.k8s.io/v1/ObjectMeta", keys), Problems{});
  const FieldEntry replicas[] = {entry<&Mistaken::number>("replicas")};
  EXPECT_EQ(problems("apps/v1/ReplicaSetSpec v1/ReplicationControllerSpec", replicas), Problems{});
}

TEST(Verify, FindsWhatIsMisspelt) {
  EXPECT_EQ(problems("apps/v1/Deploymint", {}), Problems{"apps/v1/Deploymint: no such type"});
  const FieldEntry name[] = {entry<&Mistaken::number>("replica")};
  EXPECT_EQ(problems("apps/v1/DeploymentSpec", name),
            Problems{"apps/v1/DeploymentSpec: replica: no such field"});
  EXPECT_EQ(problems("apps/v1/DeploymentSpec v1/PodSpec", name).size(), 2U);
}

TEST(Verify, FindsMembersThatCannotHoldTheField) {
  const FieldEntry text[] = {entry<&Mistaken::text>("replicas")};
  EXPECT_EQ(problems("apps/v1/DeploymentSpec", text),
            Problems{"apps/v1/DeploymentSpec: replicas: the member cannot hold it"});
  const FieldEntry list[] = {entry<&Mistaken::texts>("nodeName")};
  EXPECT_EQ(problems("v1/PodSpec", list).size(), 1U);
  const FieldEntry single[] = {entry<&Mistaken::text>("finalizers")};
  EXPECT_EQ(problems("meta.k8s.io/v1/ObjectMeta", single).size(), 1U);
  const FieldEntry selector[] = {entry<&Mistaken::selector>("template")};
  EXPECT_EQ(problems("apps/v1/DeploymentSpec", selector),
            Problems{"apps/v1/DeploymentSpec: template: is no LabelSelector"});
  const FieldEntry keys[] = {entry<&Annotated::annotations>("ownerReferences")};
  EXPECT_EQ(problems("meta.k8s.io/v1/ObjectMeta", keys),
            Problems{"meta.k8s.io/v1/ObjectMeta: ownerReferences: is no map of texts"});
}

TEST(Verify, FindsStructsOfAnotherType) {
  const FieldEntry status[] = {entry<&Holder::status>("status")};
  EXPECT_EQ(problems("v1/Node", status),
            Problems{"v1/Node: status: is v1/NodeStatus, the table is for v1/PodStatus"});
}

}  // namespace proa::api
