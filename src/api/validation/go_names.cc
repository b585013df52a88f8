#include "api/validation/go_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace proa::api {
namespace go_names {

struct Name {
  std::string_view json;
  std::string_view go;
};

// Other names begin with a capital letter, and that is all.
constexpr Name kNames[] = {
    {"$ref", "Ref"},
    {"$schema", "Schema"},
    {"apiGroup", "APIGroup"},
    {"apiGroups", "APIGroups"},
    {"apiVersion", "APIVersion"},
    {"apiVersions", "APIVersions"},
    {"awsElasticBlockStore", "AWSElasticBlockStore"},
    {"bool", "BoolValue"},
    {"bools", "BoolValues"},
    {"caBundle", "CABundle"},
    {"cel", "CEL"},
    {"cephfs", "CephFS"},
    {"chapAuthDiscovery", "DiscoveryCHAPAuth"},
    {"chapAuthSession", "SessionCHAPAuth"},
    {"cidr", "CIDR"},
    {"cidrs", "CIDRs"},
    {"csi", "CSI"},
    {"diskURI", "DataDiskURI"},
    {"dnsConfig", "DNSConfig"},
    {"dnsPolicy", "DNSPolicy"},
    {"externalID", "DoNotUseExternalID"},
    {"fc", "FC"},
    {"fsGroup", "FSGroup"},
    {"fsGroupChangePolicy", "FSGroupChangePolicy"},
    {"fsGroupPolicy", "FSGroupPolicy"},
    {"fsType", "FSType"},
    {"gcePersistentDisk", "GCEPersistentDisk"},
    {"gid", "GID"},
    {"gmsaCredentialSpec", "GMSACredentialSpec"},
    {"gmsaCredentialSpecName", "GMSACredentialSpecName"},
    {"grpc", "GRPC"},
    {"http", "HTTP"},
    {"httpGet", "HTTPGet"},
    {"httpHeaders", "HTTPHeaders"},
    {"id", "ID"},
    {"int", "IntValue"},
    {"ints", "IntValues"},
    {"ip", "IP"},
    {"ipBlock", "IPBlock"},
    {"ipFamilies", "IPFamilies"},
    {"ipFamilyPolicy", "IPFamilyPolicy"},
    {"ipMode", "IPMode"},
    {"ips", "IPs"},
    {"iqn", "IQN"},
    {"iscsi", "ISCSI"},
    {"iscsiInterface", "ISCSIInterface"},
    {"jsonPatch", "JSONPatch"},
    {"jsonPath", "JSONPath"},
    {"lastState", "LastTerminationState"},
    {"nfs", "NFS"},
    {"os", "OS"},
    {"osImage", "OSImage"},
    {"pdName", "PDName"},
    {"qosClass", "QOSClass"},
    {"rbd", "RBD"},
    {"reportingComponent", "ReportingController"},
    {"seLinuxChangePolicy", "SELinuxChangePolicy"},
    {"seLinuxMount", "SELinuxMount"},
    {"seLinuxOptions", "SELinuxOptions"},
    {"sslEnabled", "SSLEnabled"},
    {"storageos", "StorageOS"},
    {"string", "StringValue"},
    {"strings", "StringValues"},
    {"tcpSocket", "TCPSocket"},
    {"tls", "TLS"},
    {"ttlSecondsAfterFinished", "TTLSecondsAfterFinished"},
    {"tty", "TTY"},
    {"uid", "UID"},
    {"url", "URL"},
    {"wwids", "WWIDs"},
    {"x-kubernetes-embedded-resource", "XEmbeddedResource"},
    {"x-kubernetes-int-or-string", "XIntOrString"},
    {"x-kubernetes-list-map-keys", "XListMapKeys"},
    {"x-kubernetes-list-type", "XListType"},
    {"x-kubernetes-map-type", "XMapType"},
    {"x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"},
    {"x-kubernetes-validations", "XValidations"},
};

static_assert(std::ranges::is_sorted(kNames, {}, &Name::json));

// Of some types only.
struct OwnName {
  std::string_view type;
  std::string_view json;
  std::string_view go;
};

constexpr OwnName kOwnNames[] = {
    {"GlusterfsPersistentVolumeSource", "endpoints", "EndpointsName"},
    {"GlusterfsVolumeSource", "endpoints", "EndpointsName"},
    {"RBDPersistentVolumeSource", "image", "RBDImage"},
    {"RBDPersistentVolumeSource", "monitors", "CephMonitors"},
    {"RBDPersistentVolumeSource", "pool", "RBDPool"},
    {"RBDPersistentVolumeSource", "user", "RadosUser"},
    {"RBDVolumeSource", "image", "RBDImage"},
    {"RBDVolumeSource", "monitors", "CephMonitors"},
    {"RBDVolumeSource", "pool", "RBDPool"},
    {"RBDVolumeSource", "user", "RadosUser"},
    {"DeviceAttribute", "version", "VersionValue"},
    {"DeviceAttribute", "versions", "VersionValues"},
};

constexpr std::string_view kVolume[] = {"name",
                                        "hostPath",
                                        "emptyDir",
                                        "gcePersistentDisk",
                                        "awsElasticBlockStore",
                                        "gitRepo",
                                        "secret",
                                        "nfs",
                                        "iscsi",
                                        "glusterfs",
                                        "persistentVolumeClaim",
                                        "rbd",
                                        "quobyte",
                                        "flexVolume",
                                        "cinder",
                                        "cephfs",
                                        "flocker",
                                        "downwardAPI",
                                        "fc",
                                        "azureFile",
                                        "configMap",
                                        "vsphereVolume",
                                        "azureDisk",
                                        "photonPersistentDisk",
                                        "projected",
                                        "portworxVolume",
                                        "scaleIO",
                                        "storageos",
                                        "csi",
                                        "ephemeral",
                                        "image"};
constexpr std::string_view kPodSpec[] = {"volumes",
                                         "initContainers",
                                         "containers",
                                         "ephemeralContainers",
                                         "restartPolicy",
                                         "terminationGracePeriodSeconds",
                                         "activeDeadlineSeconds",
                                         "dnsPolicy",
                                         "nodeSelector",
                                         "serviceAccountName",
                                         "automountServiceAccountToken",
                                         "nodeName",
                                         "securityContext",
                                         "imagePullSecrets",
                                         "hostname",
                                         "subdomain",
                                         "setHostnameAsFQDN",
                                         "affinity",
                                         "schedulerName",
                                         "tolerations",
                                         "hostAliases",
                                         "priorityClassName",
                                         "priority",
                                         "preemptionPolicy",
                                         "dnsConfig",
                                         "readinessGates",
                                         "runtimeClassName",
                                         "overhead",
                                         "enableServiceLinks",
                                         "topologySpreadConstraints",
                                         "os",
                                         "schedulingGates",
                                         "resourceClaims",
                                         "resources",
                                         "hostnameOverride",
                                         "schedulingGroup"};
constexpr std::string_view kPodSecurityContext[] = {"seLinuxOptions",
                                                    "windowsOptions",
                                                    "runAsUser",
                                                    "runAsGroup",
                                                    "runAsNonRoot",
                                                    "supplementalGroups",
                                                    "supplementalGroupsPolicy",
                                                    "fsGroup",
                                                    "fsGroupChangePolicy",
                                                    "sysctls",
                                                    "seccompProfile",
                                                    "appArmorProfile",
                                                    "seLinuxChangePolicy"};
constexpr std::string_view kPersistentVolumeSpec[] = {"capacity",
                                                      "gcePersistentDisk",
                                                      "awsElasticBlockStore",
                                                      "hostPath",
                                                      "glusterfs",
                                                      "nfs",
                                                      "rbd",
                                                      "quobyte",
                                                      "iscsi",
                                                      "flexVolume",
                                                      "cinder",
                                                      "cephfs",
                                                      "fc",
                                                      "flocker",
                                                      "azureFile",
                                                      "vsphereVolume",
                                                      "azureDisk",
                                                      "photonPersistentDisk",
                                                      "portworxVolume",
                                                      "scaleIO",
                                                      "local",
                                                      "storageos",
                                                      "csi",
                                                      "accessModes",
                                                      "claimRef",
                                                      "persistentVolumeReclaimPolicy",
                                                      "storageClassName",
                                                      "mountOptions",
                                                      "volumeMode",
                                                      "nodeAffinity",
                                                      "volumeAttributesClassName"};
constexpr std::string_view kServiceSpec[] = {"type",
                                             "ports",
                                             "selector",
                                             "clusterIP",
                                             "clusterIPs",
                                             "ipFamilies",
                                             "ipFamilyPolicy",
                                             "externalName",
                                             "externalIPs",
                                             "loadBalancerIP",
                                             "sessionAffinity",
                                             "sessionAffinityConfig",
                                             "loadBalancerSourceRanges",
                                             "externalTrafficPolicy",
                                             "healthCheckNodePort",
                                             "publishNotReadyAddresses",
                                             "allocateLoadBalancerNodePorts",
                                             "loadBalancerClass",
                                             "internalTrafficPolicy",
                                             "trafficDistribution"};
constexpr std::string_view kJobSpec[] = {"parallelism",
                                         "completions",
                                         "podFailurePolicy",
                                         "successPolicy",
                                         "activeDeadlineSeconds",
                                         "backoffLimit",
                                         "backoffLimitPerIndex",
                                         "maxFailedIndexes",
                                         "selector",
                                         "manualSelector",
                                         "template",
                                         "ttlSecondsAfterFinished",
                                         "completionMode",
                                         "suspend",
                                         "podReplacementPolicy",
                                         "managedBy"};
constexpr std::string_view kJobStatus[] = {"conditions",
                                           "startTime",
                                           "completionTime",
                                           "active",
                                           "terminating",
                                           "ready",
                                           "succeeded",
                                           "failed",
                                           "completedIndexes",
                                           "failedIndexes",
                                           "uncountedTerminatedPods"};
constexpr std::string_view kContainerMetric[] = {"name", "container", "target"};
constexpr std::string_view kContainerMetricStatus[] = {"name", "container", "current"};
constexpr std::string_view kCsiDriverSpec[] = {"attachRequired",
                                               "fsGroupPolicy",
                                               "podInfoOnMount",
                                               "volumeLifecycleModes",
                                               "storageCapacity",
                                               "tokenRequests",
                                               "requiresRepublish",
                                               "seLinuxMount",
                                               "nodeAllocatableUpdatePeriodSeconds",
                                               "serviceAccountTokenInSecrets",
                                               "preventPodSchedulingIfMissing"};
constexpr std::string_view kValidatingPolicySpec[] = {
    "paramKind",     "matchConstraints", "validations", "matchConditions",
    "failurePolicy", "auditAnnotations", "variables"};

constexpr std::string_view kJsonSchemaProps[] = {"id",
                                                 "$schema",
                                                 "$ref",
                                                 "description",
                                                 "type",
                                                 "nullable",
                                                 "format",
                                                 "title",
                                                 "default",
                                                 "maximum",
                                                 "exclusiveMaximum",
                                                 "minimum",
                                                 "exclusiveMinimum",
                                                 "maxLength",
                                                 "minLength",
                                                 "pattern",
                                                 "maxItems",
                                                 "minItems",
                                                 "uniqueItems",
                                                 "multipleOf",
                                                 "enum",
                                                 "maxProperties",
                                                 "minProperties",
                                                 "required",
                                                 "items",
                                                 "allOf",
                                                 "oneOf",
                                                 "anyOf",
                                                 "not",
                                                 "properties",
                                                 "additionalProperties",
                                                 "patternProperties",
                                                 "dependencies",
                                                 "additionalItems",
                                                 "definitions",
                                                 "externalDocs",
                                                 "example",
                                                 "x-kubernetes-preserve-unknown-fields",
                                                 "x-kubernetes-embedded-resource",
                                                 "x-kubernetes-int-or-string",
                                                 "x-kubernetes-list-map-keys",
                                                 "x-kubernetes-list-type",
                                                 "x-kubernetes-map-type",
                                                 "x-kubernetes-validations"};

struct Order {
  std::string_view type;
  std::span<const std::string_view> fields;
};

constexpr Order kOrders[] = {
    {"Volume", kVolume},
    {"PodSpec", kPodSpec},
    {"PodSecurityContext", kPodSecurityContext},
    {"PersistentVolumeSpec", kPersistentVolumeSpec},
    {"ServiceSpec", kServiceSpec},
    {"JobSpec", kJobSpec},
    {"JobStatus", kJobStatus},
    {"ContainerResourceMetricSource", kContainerMetric},
    {"ContainerResourceMetricStatus", kContainerMetricStatus},
    {"CSIDriverSpec", kCsiDriverSpec},
    {"ValidatingAdmissionPolicySpec", kValidatingPolicySpec},
    {"JSONSchemaProps", kJsonSchemaProps},
};

struct FieldOf {
  std::string_view type;
  std::string_view json;

  bool operator==(const FieldOf&) const = default;
};

// The host's namespaces are in the security context there.
constexpr FieldOf kMissing[] = {
    {"PodSpec", "serviceAccount"}, {"PodSpec", "hostNetwork"}, {"PodSpec", "hostPID"},
    {"PodSpec", "hostIPC"},        {"PodSpec", "hostUsers"},   {"PodSpec", "shareProcessNamespace"},
    {"PodStatus", "podIP"},        {"NodeSpec", "podCIDR"},    {"Secret", "stringData"},
};

constexpr FieldOf kPlain[] = {
    {"ServiceAccountTokenProjection", "expirationSeconds"},
    {"RollingUpdateStatefulSetStrategy", "partition"},
    {"StatefulSetSpec", "replicas"},
    {"DeploymentSpec", "replicas"},
    {"RollingUpdateDeployment", "maxUnavailable"},
    {"RollingUpdateDeployment", "maxSurge"},
    {"RollingUpdateDaemonSet", "maxUnavailable"},
    {"RollingUpdateDaemonSet", "maxSurge"},
    {"ReplicaSetSpec", "replicas"},
    {"LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"},
    {"ServiceReference", "port"},
};

bool has(std::span<const FieldOf> list, const Type& type, std::string_view field) {
  return std::ranges::find(list, FieldOf{type.name, field}) != list.end();
}

}  // namespace go_names

std::string go_field_name(const Type& type, std::string_view field) {
  for (const go_names::OwnName& own : go_names::kOwnNames) {
    if (own.type == type.name && own.json == field) return std::string(own.go);
  }
  const auto* found = std::ranges::lower_bound(go_names::kNames, field, {}, &go_names::Name::json);
  if (found != std::end(go_names::kNames) && found->json == field) return std::string(found->go);
  std::string name(field);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

std::span<const std::string_view> go_field_order(const Type& type) {
  for (const go_names::Order& order : go_names::kOrders) {
    if (order.type == type.name) return order.fields;
  }
  return {};
}

bool is_missing_in_go(const Type& type, std::string_view field) {
  return go_names::has(go_names::kMissing, type, field);
}

bool is_plain_in_go(const Type& type, std::string_view field) {
  return go_names::has(go_names::kPlain, type, field);
}

}  // namespace proa::api
