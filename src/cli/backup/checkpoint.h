#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "store/entry.h"

namespace proa::cli {

// A copy of the store as it was at one revision, for as long as this lives. It shares the store's
// files, so it costs neither time nor space.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual std::string path() const = 0;
};

// Asks the server that runs in the data directory; where none does, opens the store itself.
Result<std::unique_ptr<Checkpoint>> take_checkpoint(const std::string& data_dir, Clock& clock,
                                                    Random& random);

}  // namespace proa::cli
