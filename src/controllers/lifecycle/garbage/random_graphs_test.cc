#include <gtest/gtest.h>

#include <map>
#include <set>

#include "controllers/lifecycle/garbage/garbage_collector.h"
#include "json/parse.h"
#include "json/text/scan.h"
#include "testkit/controllers/test_world.h"

// Graphs of owners as chance makes them, deletions and restarts at any moment, writes that fail:
// what is left must be what a few lines say that know nothing of events, caches and finalizers.

namespace proa::controllers {
namespace {

using api::Propagation;

const ControllerEntry kEntry{"garbage-collector", "generic-garbage-collector",
                             make_garbage_collector};
constexpr std::string_view kHold = "example.com/hold";

struct Kind {
  const char* group;
  const char* api_version;
  const char* name;
  const char* resource;
  bool namespaced;
};
constexpr Kind kKinds[] = {
    {"", "v1", "ConfigMap", "configmaps", true},
    {"", "v1", "Secret", "secrets", true},
    {"rbac.authorization.k8s.io", "rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles",
     false},
};

struct Reference {
  const Kind* kind;
  std::string name;
  std::string uid;
};

struct Thing {
  const Kind* kind;
  std::string name_space;
  std::string name;
  std::vector<Reference> owners;
};

// What ought to be left.
class Model {
 public:
  std::map<std::string, Thing> things;  // by uid

  // Takes away what has no owner left, and references to what is not there.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = things.begin(); at != things.end();) {
        Thing& thing = at->second;
        const bool had_owners = !thing.owners.empty();
        changed |= std::erase_if(thing.owners, [&](const Reference& owner) {
                     return !is_impossible(thing, owner) && !is_good(thing, owner);
                   }) > 0;
        at = had_owners && thing.owners.empty() ? things.erase(at) : std::next(at);
      }
    }
  }
  void orphan(const std::string& uid) {
    for (auto& [other, thing] : things) {
      std::erase_if(thing.owners, [&](const Reference& owner) { return owner.uid == uid; });
    }
    things.erase(uid);
  }

 private:
  // Counts as an owner, for the want of any other meaning.
  static bool is_impossible(const Thing& thing, const Reference& owner) {
    return !thing.kind->namespaced && owner.kind->namespaced;
  }
  bool is_good(const Thing& thing, const Reference& owner) const {
    const auto found = things.find(owner.uid);
    if (found == things.end()) return false;
    const Thing& other = found->second;
    return other.kind == owner.kind && other.name == owner.name &&
           (!other.kind->namespaced || other.name_space == thing.name_space);
  }
};

// Every so often, a write or a question fails, before or after it was done.
class FlakyClient final : public client::Client {
 public:
  FlakyClient(std::unique_ptr<client::Client> to, Random& random)
      : to_(std::move(to)), random_(random) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    return maybe([&] { return to_->get(place, until); });
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return to_->list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    return to_->watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return to_->create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return maybe([&] { return to_->update(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    return maybe([&] { return to_->patch(place, type, std::move(patch), choices, until); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return maybe([&] { return to_->remove(place, choices, until); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return to_->remove_collection(place, query, choices, until);
  }

 private:
  template <typename Call>
  auto maybe(Call call) -> decltype(call()) {
    const uint64_t fate = random_.below(20);
    if (fate == 0) return Status(Reason::kTimeout, "nobody answered");
    auto done = call();
    if (fate == 1) return Status(Reason::kTimeout, "the answer was lost");
    return done;
  }

  const std::unique_ptr<client::Client> to_;
  Random& random_;
};

class RandomGraphs : public testing::TestWithParam<uint64_t> {
 protected:
  RandomGraphs() { world_.create("", "namespaces", "", R"({"metadata":{"name":"team"}})"); }

  bool one_in(uint64_t times) { return random_.below(times) == 0; }
  // Null when there is none.
  const std::string* any_uid() {
    if (model_.things.empty()) return nullptr;
    const auto skip = static_cast<ptrdiff_t>(random_.below(model_.things.size()));
    return &std::next(model_.things.begin(), skip)->first;
  }

  client::Place place(const Thing& thing) {
    return world_.place(thing.kind->group, thing.kind->resource, thing.name_space, thing.name);
  }
  // Mostly right; sometimes of another kind, of another name, or of nothing at all.
  std::vector<Reference> any_owners() {
    std::map<std::string, Reference> owners;
    for (uint64_t i = random_.below(4); i > 0; --i) {
      const std::string* uid = any_uid();
      if (uid == nullptr) break;
      const Thing& thing = model_.things.at(*uid);
      Reference owner{thing.kind, thing.name, *uid};
      if (one_in(15)) owner.kind = &kKinds[random_.below(std::size(kKinds))];
      if (one_in(15)) owner.name = "nobody";
      if (one_in(15)) owner.uid = make_uid(random_);
      owners.insert_or_assign(owner.uid, owner);
    }
    std::vector<Reference> list;
    for (const auto& [uid, owner] : owners) list.push_back(owner);
    return list;
  }
  std::string json(const std::vector<Reference>& owners) {
    std::string text;
    for (const Reference& owner : owners) {
      text += (text.empty() ? "" : ",") + std::string(R"({"apiVersion":")") +
              owner.kind->api_version + R"(","kind":")" + owner.kind->name + R"(","name":")" +
              owner.name + R"(","uid":")" + owner.uid + R"(","blockOwnerDeletion":)" +
              (one_in(2) ? "true}" : "false}");
    }
    return "[" + text + "]";
  }

  void add(bool held) {
    Thing thing;
    thing.kind = &kKinds[random_.below(std::size(kKinds))];
    if (thing.kind->namespaced) thing.name_space = one_in(4) ? "team" : "default";
    thing.name = "t" + std::to_string(++count_);
    thing.owners = any_owners();
    const std::string finalizers = held ? "\"" + std::string(kHold) + "\"" : "";
    const api::ObjectPtr made = world_.create(
        thing.kind->group, thing.kind->resource, thing.name_space,
        R"({"metadata":{"name":")" + thing.name + R"(","labels":{"random":"yes"},"finalizers":[)" +
            finalizers + R"(],"ownerReferences":)" + json(thing.owners) + "}}");
    model_.things.emplace(made->metadata().uid, thing);
  }
  // It may be gone already.
  void remove(const Thing& thing, Propagation propagation) {
    client::RemoveChoices choices;
    choices.propagation = propagation;
    const Result<void> removed = world_.client().remove(place(thing), choices, {});
    ASSERT_TRUE(removed.ok() || removed.is(Reason::kNotFound));
  }
  void remove_any(bool may_orphan) {
    const std::string* found = any_uid();
    if (found == nullptr) return;
    const std::string uid = *found;
    const Propagation choices[] = {Propagation::kBackground, Propagation::kForeground,
                                   Propagation::kOrphan};
    const Propagation how = choices[random_.below(may_orphan ? 3 : 2)];
    remove(model_.things.at(uid), how);
    if (how == Propagation::kOrphan) {
      model_.orphan(uid);
    } else {
      deleted_.insert(uid);
    }
  }
  // Circles come from here: what is new is owned by what was there.
  void give_owners() {
    const std::string* uid = any_uid();
    if (uid == nullptr) return;
    Thing& thing = model_.things.at(*uid);
    thing.owners = any_owners();
    const Result<api::ObjectPtr> patched = world_.client().patch(
        place(thing), api::PatchType::kMerge,
        json::parse_literal(R"({"metadata":{"ownerReferences":)" + json(thing.owners) + "}}"), {},
        {});
    ASSERT_TRUE(patched.ok());
  }

  std::vector<std::pair<const Kind*, api::ObjectPtr>> all() {
    std::vector<std::pair<const Kind*, api::ObjectPtr>> objects;
    client::ListQuery query;
    query.label_selector = "random=yes";
    for (const Kind& kind : kKinds) {
      client::ObjectList list =
          world_.client().list(world_.place(kind.group, kind.resource, "", ""), query, {}).value();
      for (api::ObjectPtr& object : list.items) objects.emplace_back(&kind, std::move(object));
    }
    return objects;
  }
  void release_all() {
    for (const auto& [kind, object] : all()) {
      const api::Metadata& metadata = object->metadata();
      std::string left;
      json::Scan scan(json::Scan::find(json::Scan::find(object->json(), "metadata"), "finalizers"));
      while (const auto item = scan.next_item()) {
        if (json::Scan::unquoted(*item) == kHold) continue;
        left += (left.empty() ? "" : ",") + std::string(*item);
      }
      world_.patch(kind->group, kind->resource, metadata.name_space, metadata.name,
                   R"({"metadata":{"finalizers":[)" + left + "]}}");
    }
  }

  // "t3: t1 t2": what is left, and its owners.
  std::string describe_model() const {
    std::map<std::string, std::string> lines;
    for (const auto& [uid, thing] : model_.things) {
      std::string& line = lines[thing.name];
      for (const Reference& owner : thing.owners) line += " " + owner.uid;
    }
    return join_lines(lines);
  }
  std::string describe_world() {
    std::map<std::string, std::string> lines;
    for (const auto& [kind, object] : all()) {
      const api::Metadata& metadata = object->metadata();
      std::string& line = lines[std::string(metadata.name)];
      for (const api::Metadata::Owner& owner : metadata.owners) {
        line += " " + std::string(owner.uid);
      }
      if (metadata.being_deleted) line += " is being deleted";
    }
    return join_lines(lines);
  }
  static std::string join_lines(const std::map<std::string, std::string>& lines) {
    std::string text;
    for (const auto& [name, line] : lines) text.append(name).append(":").append(line).append("\n");
    return text;
  }
  void settle_model() {
    for (const std::string& uid : deleted_) model_.things.erase(uid);
    deleted_.clear();
    model_.settle();
  }
  // Some of what there is to do is done; perhaps then they are killed.
  void work_a_little() {
    for (uint64_t i = random_.below(30); i > 0; --i) world_.controllers().step_some(random_);
    if (one_in(5)) world_.restart();
  }

  SeededRandom random_{GetParam()};
  testkit::TestWorld world_{testkit::TestWorld::Options{
      .entries = {kEntry},
      .seed = GetParam(),
      .between = [this](std::unique_ptr<client::Client> to) -> std::unique_ptr<client::Client> {
        return std::make_unique<FlakyClient>(std::move(to), random_);
      }}};
  Model model_;
  std::set<std::string> deleted_;
  int count_ = 0;
};

// One thing at a time: each is done, whatever fails, before the next one comes.
TEST_P(RandomGraphs, EveryStepLeavesWhatItShould) {
  for (int step = 0; step < 60; ++step) {
    const uint64_t choice = random_.below(10);
    if (choice < 5) {
      add(false);
    } else if (choice < 7) {
      give_owners();
    } else {
      remove_any(true);
    }
    settle_model();
    work_a_little();
    world_.pass(std::chrono::minutes(10));
    ASSERT_EQ(describe_world(), describe_model()) << "step " << step;
  }
}

// Many things at once, some of which somebody holds back until the end.
TEST_P(RandomGraphs, AnyOrderLeavesWhatItShould) {
  for (int i = 0; i < 25; ++i) add(one_in(4));
  for (int i = 0; i < 8; ++i) give_owners();
  for (int step = 0; step < 30; ++step) {
    // New ones own each other before all caches know them.
    for (uint64_t i = random_.below(3); i > 0; --i) add(one_in(4));
    if (one_in(2)) remove_any(false);
    work_a_little();
  }
  world_.pass(std::chrono::minutes(10));
  release_all();
  settle_model();
  world_.pass(std::chrono::minutes(10));
  EXPECT_EQ(describe_world(), describe_model());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range<uint64_t>(1, 8));

}  // namespace
}  // namespace proa::controllers
