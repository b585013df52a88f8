#include "controllers/workload/stateful/claim_owners.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::controllers {
namespace {

constexpr ClaimRetention kKeep{};
constexpr ClaimRetention kWithSet{.goes_with_set = true};
constexpr ClaimRetention kWithPod{.goes_with_pod = true};
constexpr ClaimRetention kWithBoth{.goes_with_set = true, .goes_with_pod = true};

// Letters: 's' the set, 'p' the pod, 'S' and 'P' earlier ones of these names, 'w' the set, but not
// as controller, 'o' another controller, 'k' another owner that controls nothing.
api::ObjectPtr claim(std::string_view owners) {
  std::string list;
  for (const char letter : owners) {
    const bool pod = letter == 'p' || letter == 'P';
    const bool other = letter == 'o' || letter == 'k';
    const std::string uid = letter == 's' || letter == 'w' ? "set" : letter == 'p' ? "pod" : "else";
    list += std::string(list.empty() ? "" : ",") + R"({"apiVersion":")" +
            (pod || other ? "v1" : "apps/v1") + R"(","kind":")" +
            (pod     ? "Pod"
             : other ? "ConfigMap"
                     : "StatefulSet") +
            R"(","name":")" +
            (pod     ? "web-0"
             : other ? "map"
                     : "web") +
            R"(","uid":")" + uid + "\"" +
            (letter == 'w' || letter == 'k' ? "" : R"(,"controller":true)") + "}";
  }
  return api::Object::make(R"({"metadata":{"name":"data-web-0","ownerReferences":[)" + list +
                           "]}}");
}

std::string letters(const api::Metadata& metadata) {
  std::string text;
  for (const api::Metadata::Owner& owner : metadata.owners) {
    if (owner.uid == "set") text += owner.controller ? 's' : 'w';
    if (owner.uid == "pod") text += 'p';
    if (owner.uid != "else") continue;
    if (owner.kind == "ConfigMap") text += owner.controller ? 'o' : 'k';
    if (owner.kind == "Pod") text += 'P';
    if (owner.kind == "StatefulSet") text += 'S';
  }
  return text;
}

struct Case {
  const char* name;
  ClaimRetention retention;
  bool condemned;
  const char* before;
  const char* after;
};

TEST(ClaimOwners, FollowTheRetentionPolicy) {
  const Case cases[] = {
      {"kept: nobody's", kKeep, false, "", ""},
      {"kept now: let go", kKeep, false, "s", ""},
      {"kept now, the pod goes", kKeep, true, "p", ""},
      {"kept: others are left alone", kKeep, false, "o", "o"},
      {"with the set", kWithSet, false, "", "s"},
      {"with the set, whatever the pod does", kWithSet, true, "p", "s"},
      {"with the set: stays", kWithSet, true, "s", "s"},
      {"with the pod: not while it is wanted", kWithPod, false, "", ""},
      {"with the pod: the set no more", kWithPod, false, "s", ""},
      {"with the pod: scaled down", kWithPod, true, "", "p"},
      {"with the pod: scaled up again", kWithPod, false, "p", ""},
      {"with both: wanted", kWithBoth, false, "p", "s"},
      {"with both: scaled down", kWithBoth, true, "s", "p"},
      {"another owner stays", kWithBoth, true, "ks", "kp"},
      {"an owner that is no controller becomes one", kWithSet, false, "w", "s"},
      {"what an earlier set owns is left alone", kWithSet, false, "S", "S"},
      {"what an earlier pod owns is left alone", kWithPod, true, "P", "P"},
      {"another controller is not joined", kWithSet, false, "o", "o"},
      {"another controller is left to itself", kWithSet, false, "os", "o"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ClaimParties parties{.set_name = "web",
                               .set_uid = "set",
                               .pod_name = "web-0",
                               .pod_uid = "pod",
                               .retention = c.retention,
                               .condemned = c.condemned};
    const api::ObjectPtr before = claim(c.before);
    const bool in_order = claim_owners_in_order(before->metadata(), parties);
    EXPECT_EQ(in_order, std::string(c.before) == c.after);
    if (in_order) continue;
    json::Document changed = before->document().value();
    put_claim_owners(api::Edit(changed).object("metadata"), before->metadata(), parties);
    const api::ObjectPtr after = api::Object::make(json::print(changed.root()));
    EXPECT_EQ(letters(after->metadata()), c.after);
    EXPECT_TRUE(claim_owners_in_order(after->metadata(), parties));
  }
}

TEST(ClaimOwners, PodsDoNotWaitForClaimsThatTheyUse) {
  for (const bool condemned : {false, true}) {
    const ClaimParties parties{.set_name = "web",
                               .set_uid = "set",
                               .pod_name = "web-0",
                               .pod_uid = "pod",
                               .retention = kWithBoth,
                               .condemned = condemned};
    const api::ObjectPtr before = claim("");
    json::Document changed = before->document().value();
    put_claim_owners(api::Edit(changed).object("metadata"), before->metadata(), parties);
    const api::View owner = api::View(changed.root())["metadata"]["ownerReferences"].item(0);
    EXPECT_EQ(owner["kind"].text(), condemned ? "Pod" : "StatefulSet");
    EXPECT_EQ(owner["blockOwnerDeletion"].flag(), !condemned);
  }
}

TEST(ClaimOwners, AreLeftByAnEarlierPodOnlyUnderItsName) {
  const ClaimParties parties{.set_name = "web", .set_uid = "set", .pod_name = "web-0"};
  EXPECT_TRUE(is_left_by_earlier_pod(claim("P")->metadata(), parties));
  EXPECT_FALSE(is_left_by_earlier_pod(claim("so")->metadata(), parties));
}

}  // namespace
}  // namespace proa::controllers
