#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "controllers/pods/pod.h"
#include "controllers/workload/objects/autoscaler.h"
#include "controllers/workload/objects/cron_job.h"
#include "controllers/workload/objects/daemon_set.h"
#include "controllers/workload/objects/deployment.h"
#include "controllers/workload/objects/disruption_budget.h"
#include "controllers/workload/objects/job.h"
#include "controllers/workload/objects/job_pod.h"
#include "controllers/workload/objects/replica_set.h"
#include "controllers/workload/objects/stateful_set.h"
#include "controllers/workload/objects/template_owner.h"

namespace proa::controllers::objects {
namespace {

// Tables of whole objects; they reference all other tables.
const api::FieldTable& (*const kTables[])() = {
    Autoscaler::table,
    CronJob::table,
    DisruptionBudget::table,
    Scale::table,
    ScaledPod::table,
    DaemonSet::table,
    Deployment::table,
    Job::table,
    JobPod::table,
    OwnedSet::table,
    Pod::table,
    ReplicaSet::table,
    ReplicationController::table,
    StatefulSet::table,
    Revision::table,
    TemplateOwner::table,
};

TEST(WorkloadTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::controllers::objects
