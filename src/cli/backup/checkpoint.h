#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "store/entry.h"

namespace proa::cli {

// A checkpoint of the store at one revision, removed with this object. It shares the store's files,
// so it takes neither time nor space.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual std::string path() const = 0;
};

// Asks the running server of the data directory; if none runs, opens the store itself.
Result<std::unique_ptr<Checkpoint>> take_checkpoint(const std::string& data_dir, Clock& clock,
                                                    Random& random);

}  // namespace proa::cli
