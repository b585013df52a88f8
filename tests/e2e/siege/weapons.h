#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/attacks/connections.h"
#include "tests/e2e/attacks/disk.h"
#include "tests/e2e/attacks/requests.h"
#include "tests/e2e/attacks/streams.h"

namespace proa::e2e {

// What attacks need to know.
struct Besieged {
  std::string data_dir;
  int port = 0;
  const SmallMount* disk = nullptr;
  uint64_t seed = 0;  // of one attack
};

struct Weapon {
  const char* name;
  std::function<std::unique_ptr<Attack>(const Besieged&)> make;
  bool fills_disk = false;
};

// Those of all costly requests whose names begin so.
inline std::vector<CostlyRequest> costly(std::initializer_list<std::string_view> names) {
  std::vector<CostlyRequest> chosen;
  const auto choose = [&](const std::vector<CostlyRequest>& from) {
    for (const CostlyRequest& request : from) {
      const auto is_it = [&](std::string_view name) { return request.name.starts_with(name); };
      if (std::ranges::any_of(names, is_it)) chosen.push_back(request);
    }
  };
  choose(creations());
  choose(patches());
  return chosen;
}

template <class Kind, class... Arguments>
auto maker(const Arguments&... arguments) {
  return [=](const Besieged& here) -> std::unique_ptr<Attack> {
    return std::make_unique<Kind>(here.data_dir, here.port, arguments...);
  };
}

template <class Kind, class... Arguments>
auto nameless_maker(const Arguments&... arguments) {
  return [=](const Besieged& here) -> std::unique_ptr<Attack> {
    return std::make_unique<Kind>(here.port, arguments...);
  };
}

template <class Kind>
std::unique_ptr<Attack> make_seeded(const Besieged& here) {
  return std::make_unique<Kind>(here.port, here.seed);
}

inline std::vector<Weapon> all_weapons() {
  return {
      {"silent connections", nameless_maker<SilentConnections>()},
      {"unfinished handshakes", make_seeded<UnfinishedHandshakes>},
      {"unanswered handshakes", nameless_maker<UnansweredHandshakes>(std::string("127.0.0.2"))},
      {"garbage", make_seeded<Garbage>},
      {"unfinished bodies with PING", nameless_maker<UnfinishedBodies>()},
      {"slow bodies", nameless_maker<SlowBodies>()},
      {"rapid resets", nameless_maker<Resets>(Resets::By::kClient)},
      {"provoked resets", nameless_maker<Resets>(Resets::By::kServer)},
      {"unread watches", maker<UnreadWatches>()},
      {"large heads of unread answers", nameless_maker<UnreadHeads>()},
      {"requirements in reviews",
       maker<CostlyRequests>(costly({"empty req", "as many as", "bad req"}))},
      {"volumes and versions",
       maker<CostlyRequests>(costly({"empty vol", "as many vol", "nulls", "bad con", "versions",
                                     "more versions", "a long name", "unknown fields"}))},
      {"YAML", maker<CostlyRequests>(costly({"merge keys", "aliases", "directives", "deep YAML"}))},
      {"patches",
       maker<CostlyRequests>(costly({"a list for", "insertions", "removals", "copies", "too many",
                                     "a long path", "a large merge", "growth", "one element"}))},
      {"large objects", maker<LargeObjects>()},
      {"many middling objects", maker<MiddlingObjects>()},
      {"kind removals", maker<KindRemovals>()},
      {"deep and long requests", maker<OddRequests>()},
      {"unknown paths", maker<Flood>(Flood::Of::kUnknownPaths)},
      {"bad tokens", maker<Flood>(Flood::Of::kBadTokens)},
      {"objects that fill the disk", maker<ManyObjects>(), true},
      {"a file that fills the disk",
       [](const Besieged& here) -> std::unique_ptr<Attack> {
         return std::make_unique<ForeignFile>(here.data_dir, here.port, *here.disk);
       },
       true},
  };
}

}  // namespace proa::e2e
