#pragma once

#include <string>

#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "store/entry.h"

namespace proa::store {

// The content of the file STORE next to the database: whose directory this is, and what its journal
// must hold at least. Kept outside of the database, so that a database that lost its end is
// detected.
struct DirectoryLabel {
  int format = 0;
  std::string id;
  enum class State : uint8_t {
    kOpen,    // in use, or not closed: the journal holds `revision` or a later one
    kClosed,  // the journal ends with `revision` exactly
    kCopy,    // a checkpoint: as kOpen, and the original may have continued
    kNew,     // being created: nothing was ever acknowledged
  };
  State state = State::kNew;
  Revision revision;
  // While it is open, there is a write-ahead log with this number or a higher one.
  uint64_t log = 0;
};

constexpr int kStoreFormat = 1;

std::string print_label(const DirectoryLabel& label);
Result<DirectoryLabel> parse_label(std::string_view text);

// A store's directory, locked by this process.
class StoreDirectory {
 public:
  enum class Missing : uint8_t { kRefuse, kCreate };
  // kNotFound, kConflict (in use), kInvalid (not a store of ours); each message says what to do.
  static Result<StoreDirectory> open(const std::string& path, Missing missing, Random& random);
  // Labels a directory that was just written and that is not in use.
  static Result<void> label(const std::string& path, const DirectoryLabel& label);

  const std::string& path() const { return path_; }
  std::string database() const { return path_ + "/db"; }
  // A file that only occupies space.
  std::string reserve() const { return path_ + "/RESERVE"; }
  const DirectoryLabel& label() const { return label_; }
  Result<void> relabel(DirectoryLabel::State state, Revision revision, uint64_t log = 0);
  // Of the database.
  uint64_t disk_bytes() const;

 private:
  StoreDirectory(std::string path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  FileDescriptor lock_;
  DirectoryLabel label_;
};

// The advice at the end of every refusal to open.
std::string open_advice(const std::string& path);

}  // namespace proa::store
