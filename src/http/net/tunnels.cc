#include "http/net/tunnels.h"

#include <utility>

#include "base/check.h"
#include "http/net/splice.h"

namespace proa::http {

Tunnels::Tunnels(LoopGroup& loops) : loops_(loops) {
  for (size_t i = 0; i < loops_.size(); ++i) open_.push_back(std::make_unique<Open>());
}

Tunnels::~Tunnels() {
  for (size_t i = 0; i < open_.size(); ++i) {
    loops_.at(i).run_and_wait([&] {
      for (const auto& [id, end] : std::exchange(open_[i]->ends, {})) end();
    });
    // The sockets are destroyed after one more iteration.
    loops_.at(i).run_and_wait([] {});
  }
}

void Tunnels::add(std::unique_ptr<Socket> a, std::string_view from_a, std::unique_ptr<Socket> b,
                  std::string_view from_b) {
  Loop& loop = a->loop();
  add(loop, [&](End over) {
    return splice(std::move(a), from_a, std::move(b), from_b, std::move(over));
  });
}

void Tunnels::add(Loop& loop, const std::function<End(End over)>& begin) {
  for (size_t i = 0; i < open_.size(); ++i) {
    if (&loops_.at(i) != &loop) continue;
    Open& open = *open_[i];
    const uint64_t id = open.next++;
    // Registered before it begins, since it may end immediately.
    open.ends.emplace(id, nullptr);
    End end = begin([&open, id] { open.ends.erase(id); });
    if (const auto found = open.ends.find(id); found != open.ends.end()) {
      found->second = std::move(end);
    }
    return;
  }
  CHECK(false && "the sockets are of another loop");
}

}  // namespace proa::http
