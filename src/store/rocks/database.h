#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/engine/journal.h"
#include "store/rocks/directory.h"

namespace rocksdb {
class DB;
class Env;
class Status;
struct Options;
}  // namespace rocksdb

namespace proa::store {

// What a database held when it was opened.
struct Loaded {
  Keyspace keyspace;
  JournalFacts facts;
  // Records behind a hole that a crash left among writes that nobody was promised: (names) to be
  // deleted.
  std::vector<std::string> unpromised;
};

enum class Access : uint8_t { kCreate, kWrite, kRead };

struct CloseDatabase {
  void operator()(rocksdb::DB* database) const;
  std::shared_ptr<rocksdb::Env> env;  // the database's, which it outlives
};
using DatabasePtr = std::unique_ptr<rocksdb::DB, CloseDatabase>;

// `env`: where its files are; null for the file system.
Result<DatabasePtr> open_database(const std::string& path, Access access, rocksdb::Env* env);

// Reads everything, once and in order, verifying every checksum on the way, and that nothing is
// missing. kInvalid names what is wrong.
Result<Loaded> load_database(rocksdb::DB& database);

// Whether what was loaded is what the label promises; carries the revisions past what may have been
// lost.
Result<void> settle_revisions(const DirectoryLabel& label, Loaded& loaded);

Status rocks_status(const rocksdb::Status& status);

}  // namespace proa::store
