// Evaluates every pod of the manifests on standard input against the Pod Security Standard "restricted".
// It uses the checks of the admission plugin that a cluster runs.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	pods, violations, err := judge(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, each := range violations {
		fmt.Println(each)
	}
	fmt.Printf("%d pods\n", pods)
	if len(violations) > 0 {
		os.Exit(1)
	}
}

// judge returns how many pod specs it found, and one line for each that the standard forbids.
func judge(input io.Reader) (int, []string, error) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		return 0, nil, err
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	decoder := objectDecoder()
	documents := yaml.NewYAMLReader(bufio.NewReader(input))
	pods, violations := 0, []string{}
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return pods, violations, nil
		}
		if err != nil {
			return pods, nil, err
		}
		name, metadata, spec, err := podOf(decoder, document)
		if err != nil {
			return pods, nil, err
		}
		if spec == nil {
			continue
		}
		pods++
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, metadata, spec))
		if !result.Allowed {
			violations = append(violations, fmt.Sprintf("%s: %s", name, result.ForbiddenDetail()))
		}
	}
}

// objectDecoder knows the kinds of Kubernetes that have pods.
func objectDecoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
}

// podOf returns the pod that an object creates. The spec is nil for an object that creates none.
func podOf(decoder runtime.Decoder, document []byte) (string, *metav1.ObjectMeta, *corev1.PodSpec, error) {
	object, kind, err := decoder.Decode(document, nil, nil)
	if runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) {
		return "", nil, nil, nil
	}
	if err != nil {
		return "", nil, nil, err
	}
	if pod, isPod := object.(*corev1.Pod); isPod {
		return named(kind, pod), &pod.ObjectMeta, &pod.Spec, nil
	}
	template, owner := templateOf(object)
	if template == nil {
		return "", nil, nil, nil
	}
	return named(kind, owner), &template.ObjectMeta, &template.Spec, nil
}

// templateOf returns the pod template of a workload, and the workload.
func templateOf(object runtime.Object) (*corev1.PodTemplateSpec, metav1.Object) {
	switch each := object.(type) {
	case *corev1.PodTemplate:
		return &each.Template, each
	case *corev1.ReplicationController:
		return each.Spec.Template, each
	case *appsv1.Deployment:
		return &each.Spec.Template, each
	case *appsv1.ReplicaSet:
		return &each.Spec.Template, each
	case *appsv1.StatefulSet:
		return &each.Spec.Template, each
	case *appsv1.DaemonSet:
		return &each.Spec.Template, each
	case *batchv1.Job:
		return &each.Spec.Template, each
	case *batchv1.CronJob:
		return &each.Spec.JobTemplate.Spec.Template, each
	}
	return nil, nil
}

func named(kind *schema.GroupVersionKind, object metav1.Object) string {
	return fmt.Sprintf("%s/%s", kind.Kind, object.GetName())
}
