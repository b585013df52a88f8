#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "base/threads/mutex.h"
#include "dns/message/query.h"

namespace proa::dns {

// Finds upstreams that ask us, directly or through others: each is asked for a random name that
// nobody else knows. Who is asked for such a name is in a loop. CoreDNS's plugin loop does so, too,
// and then exits; here only that upstream is no longer asked. Thread-safe.
class LoopProbes {
 public:
  // The type that is asked for (HINFO), as CoreDNS has it: hardly anybody else does.
  static constexpr auto kType = static_cast<Type>(13);

  explicit LoopProbes(Random& random) : random_(random) {}

  // A new name in the zone, for the upstream that `tag` stands for. The one before it is forgotten.
  Name begin(NameView zone, uint64_t tag);
  // We are asked this. The tag of the upstream that it came from, if it is one of the names.
  std::optional<uint64_t> saw(const Question& question);
  // Whether the last name for that upstream came back.
  bool came_back(uint64_t tag) const;
  void forget(uint64_t tag);

 private:
  struct Probe {
    uint64_t tag;
    Name name;
    bool seen = false;
  };

  Random& random_;
  mutable Mutex mutex_;
  std::vector<Probe> probes_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
